//! The Markdown that mode `configure` answers with.

use super::{MASK, State, is_secret, missing, state};
use crate::markdown::{cell, example_value, inline, listed, shown, type_of, yaml_value};
use crate::model::{Description, ObjectSchema, Property};
use base::lang::Lang;
use base::name::ToolName;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The page. `path` is the file as it is shown (`~/.prompt-manager/toolbox/…/.env`).
pub fn render(
    tool: &ToolName,
    description: &Description,
    path: &str,
    values: &BTreeMap<String, String>,
    lang: Lang,
) -> String {
    let schema = &description.schema.environment;
    let sections = [
        tool_section(tool, description, values, lang),
        format!(
            "## {}\n\n**{}**: `{path}`\n",
            lang.pick("环境配置路径", "Configuration file"),
            lang.pick("配置文件路径", "Path")
        ),
        current(schema, values, lang),
        operations(tool, schema, values, lang),
    ];
    format!(
        "# {}\n\n{}",
        lang.pick("工具配置信息", "Tool configuration"),
        sections.join("\n---\n\n")
    )
}

fn tool_section(
    tool: &ToolName,
    description: &Description,
    values: &BTreeMap<String, String>,
    lang: Lang,
) -> String {
    let state = match state(&description.schema.environment, values) {
        State::Configured => lang.pick("✅ 已配置", "✅ configured"),
        State::Partly => lang.pick("⚠️ 部分配置", "⚠️ partly configured"),
        State::Unconfigured => lang.pick("❌ 未配置", "❌ not configured"),
    };
    format!(
        "## {}\n\n**{}**: {tool}\n**{}**: {}\n**{}**: {state}\n",
        lang.pick("工具信息", "Tool"),
        lang.pick("工具名称", "Name"),
        lang.pick("工具版本", "Version"),
        inline(&description.metadata.version),
        lang.pick("配置状态", "State"),
    )
}

fn current(schema: &ObjectSchema, values: &BTreeMap<String, String>, lang: Lang) -> String {
    let mut text = format!("## {}\n", lang.pick("当前配置", "Current values"));
    let set = set_rows(schema, values, lang);
    let unset = unset_rows(schema, values, lang);
    if set.is_empty() && unset.is_empty() {
        text.push('\n');
        text.push_str(lang.pick(
            "此工具没有可配置的环境变量。\n",
            "This tool has no environment variables.\n",
        ));
        return text;
    }
    if !set.is_empty() {
        text.push_str(&table(
            lang.pick("已配置项", "Set"),
            lang.pick(
                "| 配置项 | 当前值 | 说明 | 状态 |",
                "| Variable | Value | Meaning | State |",
            ),
            &set,
        ));
    }
    if !unset.is_empty() {
        text.push_str(&table(
            lang.pick("未配置项（使用默认值）", "Not set (defaults apply)"),
            lang.pick(
                "| 配置项 | 默认值 | 说明 | 状态 |",
                "| Variable | Default | Meaning | State |",
            ),
            &unset,
        ));
    }
    if !schema.is_empty() {
        let _ = write!(text, "\n### {}\n", lang.pick("配置说明", "Variables"));
        for property in &schema.properties {
            text.push_str(&explained(property, lang));
        }
    }
    text
}

fn table(heading: &str, head: &str, rows: &[[String; 4]]) -> String {
    let mut text = format!("\n### {heading}\n\n{head}\n|--------|--------|------|------|\n");
    for [name, value, meaning, state] in rows {
        let _ = writeln!(text, "| {name} | {value} | {meaning} | {state} |");
    }
    text
}

/// Declared variables in the schema's order, then the others.
fn set_rows(schema: &ObjectSchema, values: &BTreeMap<String, String>, lang: Lang) -> Vec<[String; 4]> {
    let row = |name: &str, value: &str, meaning: &str| {
        let value = match is_secret(schema, name) && !value.is_empty() {
            true => MASK.to_owned(),
            false => cell(value),
        };
        let state = lang.pick("✅ 已配置", "✅ set").to_owned();
        [cell(name), value, cell(meaning), state]
    };
    let declared = schema.properties.iter().filter_map(|property| {
        let value = values.get(&property.name)?;
        Some(row(&property.name, value, property.description()))
    });
    let unknown = values
        .iter()
        .filter(|(name, _)| schema.get(name).is_none())
        .map(|(name, value)| {
            row(
                name,
                value,
                lang.pick("（工具未声明此变量）", "(not declared by the tool)"),
            )
        });
    declared.chain(unknown).collect()
}

fn unset_rows(schema: &ObjectSchema, values: &BTreeMap<String, String>, lang: Lang) -> Vec<[String; 4]> {
    schema
        .properties
        .iter()
        .filter(|property| !values.contains_key(&property.name))
        .map(|property| {
            let state = match (property.default().is_some(), property.required) {
                (true, _) => lang.pick("⚠️ 使用默认值", "⚠️ default used"),
                (false, true) => lang.pick("❌ 缺少", "❌ missing"),
                (false, false) => lang.pick("⚠️ 未设置", "⚠️ not set"),
            };
            [
                cell(&property.name),
                default_text(property),
                cell(property.description()),
                state.to_owned(),
            ]
        })
        .collect()
}

fn default_text(property: &Property) -> String {
    match property.default() {
        None => "-".to_owned(),
        Some(_) if property.is_secret() => MASK.to_owned(),
        Some(default) => cell(&shown(default)),
    }
}

fn explained(property: &Property, lang: Lang) -> String {
    let mut text = format!("\n#### {}\n\n", inline(&property.name));
    let mut bullet = |label: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "- **{label}**: {}", inline(value));
        }
    };
    bullet(lang.pick("说明", "Meaning"), property.description());
    let kind = match type_of(property).as_str() {
        "-" => "string".to_owned(),
        kind => kind.to_owned(),
    };
    bullet(lang.pick("类型", "Type"), &kind);
    let required = match property.required {
        true => lang.pick("是", "yes"),
        false => lang.pick("否", "no"),
    };
    bullet(lang.pick("必需", "Required"), required);
    if let Some(allowed) = property.allowed() {
        bullet(lang.pick("可选值", "Allowed values"), &listed(allowed));
    }
    if property.default().is_some() {
        bullet(
            lang.pick("默认值", "Default"),
            &default_text(property).replace("\\|", "|"),
        );
    }
    if let Some(example) = property.example().filter(|_| !property.is_secret()) {
        bullet(lang.pick("示例", "Example"), &shown(example));
    }
    text
}

fn operations(
    tool: &ToolName,
    schema: &ObjectSchema,
    values: &BTreeMap<String, String>,
    lang: Lang,
) -> String {
    let mut text = format!(
        "## {}\n\n### {}\n\n{}\n\n```yaml\ntool: tool://{tool}\nmode: configure\nparameters:\n",
        lang.pick("配置操作", "Changing it"),
        lang.pick("如何更新配置", "How to change values"),
        lang.pick("使用以下命令更新配置：", "Send this to change values:"),
    );
    let mut shown: Vec<&Property> = missing(schema, values).collect();
    let rest = schema.properties.iter();
    shown.extend(
        rest.take(2)
            .filter(|property| values.contains_key(&property.name) || property.default().is_some()),
    );
    if shown.is_empty() {
        shown.extend(schema.properties.first());
    }
    for property in &shown {
        let value = match property.is_secret() {
            true => lang.pick("你的密钥", "your-secret").to_owned(),
            false => yaml_value(&example_value(property, lang)),
        };
        let _ = writeln!(text, "  {}: {value}", property.name);
    }
    if shown.is_empty() {
        text.push_str(lang.pick("  变量名: 新值\n", "  VARIABLE: new value\n"));
    }
    text.push_str("```\n\n");
    text.push_str(&verification(schema, values, lang));
    text
}

fn verification(schema: &ObjectSchema, values: &BTreeMap<String, String>, lang: Lang) -> String {
    let mut text = format!("### {}\n\n", lang.pick("配置验证", "Check"));
    let missing: Vec<&str> = missing(schema, values)
        .map(|property| property.name.as_str())
        .collect();
    let mut lines = Vec::new();
    match missing.is_empty() {
        true => lines.push(
            lang.pick("✅ 所有必需配置项已设置", "✅ All required variables are set")
                .to_owned(),
        ),
        false => lines.push(format!(
            "{}: {}",
            lang.pick("❌ 缺少必需配置项", "❌ Required variables are missing"),
            missing.join(", ")
        )),
    }
    let defaults = schema
        .properties
        .iter()
        .any(|property| property.default().is_some() && !values.contains_key(&property.name));
    if defaults {
        lines.push(
            lang.pick(
                "⚠️ 部分配置项使用默认值",
                "⚠️ Defaults are used for some variables",
            )
            .to_owned(),
        );
    }
    // Two spaces keep the lines apart where Markdown is rendered.
    text.push_str(&lines.join("  \n"));
    text.push('\n');
    text
}
