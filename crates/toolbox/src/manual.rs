//! Mode `manual`: a tool's manual in Markdown (seed 002 section 11.11.1). A tool's own
//! `generateManual()` wins. Sections without content are left out.

use crate::markdown::{example_call, fenced, inline, listed, shown, type_of};
use crate::model::{BusinessError, Description, Property};
use base::lang::Lang;
use base::name::ToolName;

pub fn render(tool: &ToolName, description: &Description, lang: Lang) -> String {
    if let Some(own) = &description.manual {
        return own.clone();
    }
    let metadata = &description.metadata;
    let mut sections = vec![about(description, lang)];
    sections.extend(bullets(
        lang.pick("🎯 使用场景", "🎯 Scenarios"),
        &metadata.scenarios,
    ));
    let parameters = &description.schema.parameters.properties;
    if !parameters.is_empty() {
        let parts: Vec<String> = parameters
            .iter()
            .map(|property| parameter(property, lang))
            .collect();
        sections.push(section(lang.pick("⚙️ 参数说明", "⚙️ Parameters"), &parts));
    }
    let environment = &description.schema.environment.properties;
    if !environment.is_empty() {
        let parts: Vec<String> = environment
            .iter()
            .map(|property| variable(property, lang))
            .collect();
        sections.push(section(
            lang.pick("🔧 环境变量", "🔧 Environment variables"),
            &parts,
        ));
    }
    if !description.business_errors.is_empty() {
        let parts: Vec<String> = description
            .business_errors
            .iter()
            .map(|error| business_error(error, lang))
            .collect();
        sections.push(section(lang.pick("⚠️ 常见错误", "⚠️ Common errors"), &parts));
    }
    sections.extend(bullets(
        lang.pick("🚧 限制说明", "🚧 Limitations"),
        &metadata.limitations,
    ));
    sections.push(example(tool, description, lang));
    format!("# {}\n\n{}", inline(&metadata.name), sections.join("\n---\n\n"))
}

fn about(description: &Description, lang: Lang) -> String {
    let metadata = &description.metadata;
    let text = match metadata.description.trim() {
        "" => lang.pick("（无描述）", "(no description)"),
        text => text,
    };
    let mut section = format!(
        "## {}\n{text}\n\n**{}**: {}\n",
        lang.pick("📖 描述", "📖 Description"),
        lang.pick("版本", "Version"),
        inline(&metadata.version)
    );
    if let Some(author) = &metadata.author {
        section.push_str(&format!(
            "**{}**: {}\n",
            lang.pick("作者", "Author"),
            inline(author)
        ));
    }
    if !metadata.tags.is_empty() {
        section.push_str(&format!(
            "**{}**: {}\n",
            lang.pick("标签", "Tags"),
            inline(&metadata.tags.join(", "))
        ));
    }
    section
}

fn section(heading: &str, parts: &[String]) -> String {
    format!("## {heading}\n\n{}", parts.join("\n"))
}

fn bullets(heading: &str, items: &[String]) -> Option<String> {
    if items.is_empty() {
        return None;
    }
    let lines: String = items.iter().map(|item| format!("- {}\n", inline(item))).collect();
    Some(format!("## {heading}\n{lines}"))
}

fn bullet(text: &mut String, label: &str, value: &str) {
    if !value.trim().is_empty() {
        text.push_str(&format!("- **{label}**: {}\n", inline(value)));
    }
}

fn parameter(property: &Property, lang: Lang) -> String {
    let need = match property.required {
        true => lang.pick("必需", "required"),
        false => lang.pick("可选", "optional"),
    };
    let mut text = format!("### {} ({need})\n\n", inline(&property.name));
    bullet(&mut text, lang.pick("类型", "Type"), &type_of(property));
    bullet(&mut text, lang.pick("说明", "Meaning"), property.description());
    if let Some(allowed) = property.allowed() {
        bullet(&mut text, lang.pick("可选值", "Allowed values"), &listed(allowed));
    }
    if let Some(default) = property.default() {
        bullet(&mut text, lang.pick("默认值", "Default"), &shown(default));
    }
    text
}

fn variable(property: &Property, lang: Lang) -> String {
    let mut text = format!("### {}\n\n", inline(&property.name));
    bullet(&mut text, lang.pick("说明", "Meaning"), property.description());
    if property.required {
        bullet(&mut text, lang.pick("必需", "Required"), lang.pick("是", "yes"));
    }
    if let Some(default) = property.default().filter(|_| !property.is_secret()) {
        bullet(&mut text, lang.pick("默认值", "Default"), &shown(default));
    }
    text
}

fn business_error(error: &BusinessError, lang: Lang) -> String {
    let mut text = format!("### {}\n\n", inline(&error.code));
    bullet(&mut text, lang.pick("描述", "Description"), &error.description);
    bullet(&mut text, lang.pick("解决方案", "Solution"), &error.solution);
    let retry = match error.retryable {
        true => lang.pick("是", "yes"),
        false => lang.pick("否", "no"),
    };
    bullet(&mut text, lang.pick("可重试", "Retryable"), retry);
    text
}

fn example(tool: &ToolName, description: &Description, lang: Lang) -> String {
    let yaml = example_call(tool, &description.schema.parameters, lang)
        .replace('\\', "\\\\")
        .replace('`', "\\`")
        .replace("${", "\\${");
    let call = format!("toolm({{\n  yaml: `{yaml}`\n}})");
    format!(
        "## {}\n\n{}",
        lang.pick("💡 使用示例", "💡 Example"),
        fenced("javascript", &call)
    )
}
