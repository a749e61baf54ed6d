//! What a model is told when `execute` failed: what went wrong, what the tool's author says about
//! it, whether to try again, and how a right call looks. Deliberately not here: stack traces, which
//! are in the run log.

use crate::markdown::{cell, example_call, fenced, inline, listed, shown, type_of};
use crate::model::{BusinessError, Description, ObjectSchema};
use crate::parameters::Violation;
use base::lang::Lang;
use base::name::ToolName;
use std::fmt::Write;

/// Longer error messages are cut; the log has them whole.
const MAX_MESSAGE_CHARS: usize = 4000;

/// Why a run failed.
#[derive(Clone, Copy, Debug)]
pub enum Cause<'a> {
    /// The parameters were refused; the tool did not run.
    Parameters(&'a [Violation]),
    /// The tool threw. `matched` is the business error whose `match` fitted, tested in JavaScript.
    Thrown {
        message: &'a str,
        code: Option<&'a str>,
        matched: Option<&'a BusinessError>,
    },
    /// The host stopped it or never started it: worded by the border, with a hint.
    Host {
        code: &'a str,
        message: &'a str,
        hint: &'a str,
    },
}

/// `lacking` are required variables without a value.
pub fn render(
    tool: &ToolName,
    description: Option<&Description>,
    cause: Cause<'_>,
    lacking: &[String],
    lang: Lang,
) -> String {
    let mut text = format!(
        "# ❌ {}: {tool}\n\n## {}\n\n",
        lang.pick("工具执行失败", "The tool failed"),
        lang.pick("错误信息", "Error")
    );
    match cause {
        Cause::Parameters(violations) => {
            for violation in violations {
                let _ = writeln!(text, "- {}", inline(&violation.words(lang)));
            }
        }
        Cause::Thrown { message, code, .. } => {
            text.push_str(&message_block(message, lang));
            error_code(&mut text, code, lang);
        }
        Cause::Host { code, message, .. } => {
            text.push_str(&message_block(message, lang));
            error_code(&mut text, Some(code), lang);
        }
    }
    text.push_str(&advice(cause, lang));
    // Wrong parameters are wrong with any configuration.
    if !lacking.is_empty() && !matches!(cause, Cause::Parameters(_)) {
        text.push_str(&unset(tool, lacking, lang));
    }
    if let Some(description) = description {
        let parameters = &description.schema.parameters;
        if !parameters.is_empty() {
            text.push_str(&parameter_table(parameters, lang));
        }
        let _ = write!(
            text,
            "\n## {}\n\n{}",
            lang.pick("💡 调用示例", "💡 Example call"),
            fenced("yaml", &example_call(tool, parameters, lang))
        );
    }
    let _ = writeln!(
        text,
        "\n{}",
        match lang {
            Lang::ZhCn => format!("完整手册: `tool: tool://{tool}` + `mode: manual`；运行日志: `mode: log`"),
            Lang::En => format!("Manual: `tool: tool://{tool}` + `mode: manual`; run log: `mode: log`"),
        }
    );
    text
}

fn message_block(message: &str, lang: Lang) -> String {
    let message = match message.trim() {
        "" => lang.pick("（没有错误信息）", "(no message)"),
        message => message,
    };
    match message.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((at, _)) => format!("{}…\n", &message[..at]),
        None => format!("{message}\n"),
    }
}

fn error_code(text: &mut String, code: Option<&str>, lang: Lang) {
    if let Some(code) = code.filter(|code| !code.is_empty()) {
        let _ = writeln!(
            text,
            "\n**{}**: `{}`",
            lang.pick("错误代码", "Code"),
            inline(code)
        );
    }
}

fn advice(cause: Cause<'_>, lang: Lang) -> String {
    let heading = lang.pick("🔧 解决方案", "🔧 What to do");
    match cause {
        Cause::Parameters(_) => format!(
            "\n## {heading}\n\n{}\n",
            lang.pick(
                "请按下面的参数说明修正后重新调用。",
                "Correct the parameters as the table says and call again."
            )
        ),
        Cause::Thrown {
            matched: Some(error), ..
        } => {
            let mut text = format!("\n## {heading}\n\n**{}**", inline(&error.code));
            if !error.description.is_empty() {
                let _ = write!(text, ": {}", inline(&error.description));
            }
            text.push_str("\n\n");
            if !error.solution.trim().is_empty() {
                let _ = writeln!(text, "{}\n", error.solution.trim());
            }
            text.push_str(match error.retryable {
                true => lang.pick(
                    "**可重试**: 是，可以稍后重试。\n",
                    "**Retryable**: yes, try again later.\n",
                ),
                false => lang.pick(
                    "**可重试**: 否，请先解决问题再调用。\n",
                    "**Retryable**: no, solve the problem first.\n",
                ),
            });
            text
        }
        Cause::Host { hint, .. } if !hint.trim().is_empty() => {
            format!("\n## {heading}\n\n{}\n", hint.trim())
        }
        Cause::Thrown { .. } | Cause::Host { .. } => String::new(),
    }
}

fn unset(tool: &ToolName, lacking: &[String], lang: Lang) -> String {
    let names = lacking.join("`, `");
    match lang {
        Lang::ZhCn => format!(
            "\n## 🔧 未设置的必需环境变量\n\n`{names}`\n\n用 `mode: configure` 查看和设置；密钥请用户本人在窗口中或用 `pm tool configure {tool}` 设置。\n"
        ),
        Lang::En => format!(
            "\n## 🔧 Required variables that are not set\n\n`{names}`\n\n`mode: configure` shows and sets them; secrets are set by the person, in the window or with `pm tool configure {tool}`.\n"
        ),
    }
}

fn parameter_table(parameters: &ObjectSchema, lang: Lang) -> String {
    let mut text = format!(
        "\n## {}\n\n{}\n|------|------|------|------|\n",
        lang.pick("⚙️ 参数说明", "⚙️ Parameters"),
        lang.pick(
            "| 参数 | 类型 | 必需 | 说明 |",
            "| Parameter | Type | Required | Meaning |"
        ),
    );
    for property in &parameters.properties {
        let mut meaning = property.description().to_owned();
        if let Some(allowed) = property.allowed() {
            let _ = write!(
                meaning,
                " ({}: {})",
                lang.pick("可选值", "one of"),
                listed(allowed)
            );
        }
        if let Some(default) = property.default() {
            let _ = write!(
                meaning,
                " ({}: {})",
                lang.pick("默认值", "default"),
                shown(default)
            );
        }
        let required = match property.required {
            true => lang.pick("是", "yes"),
            false => lang.pick("否", "no"),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {required} | {} |",
            cell(&property.name),
            cell(&type_of(property)),
            cell(&meaning)
        );
    }
    text
}
