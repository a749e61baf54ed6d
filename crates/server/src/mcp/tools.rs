//! What models are told about our MCP tools.

use crate::app::App;
use base::Lang;
use base::settings::ScriptLimits;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;

pub(crate) const TOOLM: &str = "toolm";
pub(crate) const RUN_JAVASCRIPT: &str = "run_javascript";

/// Installed tools named in the description; the rest are counted.
const NAMED: usize = 40;
/// Characters of a tool's own description there.
const BRIEF: usize = 60;

pub(super) fn instructions(lang: Lang) -> &'static str {
    lang.pick(
        "toolm 运行工具箱中的工具：首次使用某个工具前，先用 mode: manual 阅读手册。run_javascript 在沙箱中运行脚本并可绘图。\
         read_file、write_file 等在用户为任务绑定的工作空间中读写文件，参数 taskId 由用户给出。search_prompts 和 get_prompt 使用用户的提示词库。",
        "toolm runs the tools of the toolbox: read a tool's manual (mode: manual) before you use it for the first time. \
         run_javascript runs a script in a sandbox and can draw. \
         read_file, write_file and their like work in the folder that the user bound to a task; the user names its taskId. \
         search_prompts and get_prompt use the prompt library of the user.",
    )
}

pub(super) fn list(installed: &[Arc<toolbox::Tool>], limits: &ScriptLimits, lang: Lang) -> Vec<Tool> {
    let mut tools = vec![
        Tool::new(TOOLM, toolm(installed, lang), object(json!({
            "type": "object",
            "properties": {
                "yaml": {
                    "type": "string",
                    "description": lang.pick(
                        "YAML：tool（tool://名称）、mode（manual、execute、configure、log，默认 execute）、parameters（对象）",
                        "YAML with tool (tool://name), mode (manual, execute, configure, log; default execute) and parameters (an object)",
                    ),
                },
            },
            "required": ["yaml"],
        })))
        .with_title(lang.pick("工具箱", "Toolbox"))
        .with_annotations(ToolAnnotations::new().read_only(false).open_world(true)),
        Tool::new(RUN_JAVASCRIPT, run_javascript(limits, lang), object(json!({
            "type": "object",
            "properties": {
                "code": {
                    "type": "string",
                    "description": lang.pick("异步函数体，用 return 返回结果", "Body of an async function; return gives the result"),
                },
                "input": {
                    "description": lang.pick("任意 JSON，脚本中的变量 input", "Any JSON, the variable input of the script"),
                },
            },
            "required": ["code"],
        })))
        .with_title(lang.pick("运行 JavaScript", "Run JavaScript"))
        .with_annotations(ToolAnnotations::new().read_only(false).destructive(false).open_world(false)),
    ];
    tools.push(super::find::tool(lang));
    tools.extend(super::workspaces::list(lang));
    tools.extend(super::prompts::tools(lang));
    tools.extend(super::cells::tools(lang));
    tools
}

/// What agents of a society are offered: files and commands of their own task, scripts, the toolbox, and servers of
/// others. Their task is not theirs to choose.
pub(crate) async fn for_agents(app: &App) -> Vec<llm::Tool> {
    let lang = app.lang();
    let installed = match app.inner.toolbox.list().await {
        Ok(installed) => installed,
        Err(failure) => {
            tracing::warn!(%failure, "agents are told of no tools of the toolbox");
            Vec::new()
        }
    };
    let mut listed = list(&installed, &app.inner.settings.run_javascript, lang);
    listed.retain(|tool| {
        let name = &*tool.name;
        name == TOOLM || name == RUN_JAVASCRIPT || super::workspaces::call_of(name).is_some()
    });
    if super::browser::offered(app).await {
        listed.extend(super::browser::tools(lang));
    }
    let own = listed.into_iter();
    own.chain(app.inner.externals.offers())
        .map(|tool| {
            let mut parameters = JsonObject::clone(&tool.input_schema);
            if let Some(Value::Object(properties)) = parameters.get_mut("properties") {
                properties.remove(super::workspaces::TASK);
            }
            if let Some(Value::Array(required)) = parameters.get_mut("required") {
                required.retain(|name| *name != super::workspaces::TASK);
            }
            llm::Tool {
                name: tool.name.to_string(),
                description: tool.description.as_deref().unwrap_or_default().to_owned(),
                parameters: parameters.into(),
            }
        })
        .collect()
}

fn toolm(installed: &[Arc<toolbox::Tool>], lang: Lang) -> String {
    let mut text = String::from(lang.pick(
        "运行工具箱中的工具。参数 yaml 例如：\n\ntool: tool://filesystem\nmode: execute\nparameters:\n  action: list\n  path: .\n\n\
         模式：manual 阅读手册（首次使用前必读）、execute 执行、configure 查看或设置环境变量、log 查看运行日志。多行内容请用 | 并缩进。\n\n已安装的工具：\n",
        "Runs a tool of the toolbox. The argument yaml looks like this:\n\ntool: tool://filesystem\nmode: execute\nparameters:\n  action: list\n  path: .\n\n\
         Modes: manual reads the manual (do that first), execute runs, configure shows or sets environment variables, log shows the run log. \
         Write multi-line text with | and indent it.\n\nInstalled tools:\n",
    ));
    let usable = installed
        .iter()
        .filter_map(|tool| Some((tool, tool.description.as_ref().ok()?)));
    for (tool, description) in usable.clone().take(NAMED) {
        let brief: String = description.metadata.description.chars().take(BRIEF).collect();
        let _ = writeln!(text, "- {}: {}", tool.name, brief.replace('\n', " "));
    }
    let more = usable.count().saturating_sub(NAMED);
    if more > 0 {
        let _ = writeln!(
            text,
            "{}",
            lang.pick(
                "……以及更多（用 find_tools 查找）",
                "… and more: look for them with find_tools"
            )
        );
    }
    text
}

fn run_javascript(limits: &ScriptLimits, lang: Lang) -> String {
    let (seconds, heap, chars) = (limits.seconds, limits.heap_mb, limits.code_chars);
    match lang {
        Lang::ZhCn => format!(
            "在沙箱中运行 JavaScript 并返回 JSON 结果。code 是异步函数体，变量 input 是传入的 JSON，可用 await、console 和定时器；\
             没有网络、文件、require、import、process。限制：代码 {chars} 字符、{seconds} 秒、内存 {heap} MB。\n\n\
             绘图：getCanvas(width = 800, height = 600) 返回 HTML Canvas；同一脚本中总是同一个。脚本成功结束后画布自动导出为 PNG，\
             结果为 {{result, images: [文件名]}}，无需也不要自己导出。\n\n示例：\n\
             const canvas = getCanvas(400, 300);\nconst ctx = canvas.getContext('2d');\nctx.fillStyle = 'lightgray';\nctx.fillRect(0, 0, 400, 300);\n\
             ctx.fillStyle = 'blue';\nctx.beginPath();\nctx.arc(200, 150, 80, 0, Math.PI * 2);\nctx.fill();\nreturn 'done';"
        ),
        Lang::En => format!(
            "Runs JavaScript in a sandbox and returns its result as JSON. code is the body of an async function, the variable input is the JSON passed in; \
             await, console and timers are there; network, files, require, import and process are not. Limits: {chars} characters of code, {seconds} s, {heap} MB.\n\n\
             Drawing: getCanvas(width = 800, height = 600) returns an HTML canvas, always the same one within a script. When the script has succeeded the canvas \
             is exported as PNG automatically and the result is {{result, images: [file name]}}; do not export it yourself.\n\nExample:\n\
             const canvas = getCanvas(400, 300);\nconst ctx = canvas.getContext('2d');\nctx.fillStyle = 'lightgray';\nctx.fillRect(0, 0, 400, 300);\n\
             ctx.fillStyle = 'blue';\nctx.beginPath();\nctx.arc(200, 150, 80, 0, Math.PI * 2);\nctx.fill();\nreturn 'done';"
        ),
    }
}

pub(super) fn object(value: Value) -> Arc<JsonObject> {
    match value {
        Value::Object(map) => Arc::new(map),
        _ => Arc::default(),
    }
}
