//! The parts of the toolbox that run nothing: descriptions, requests, files and texts.
#![allow(clippy::disallowed_methods, reason = "tests make the files they read")]
#![allow(
    clippy::unwrap_used,
    reason = "functions of tests, which the lint does not recognise"
)]

mod configuration;
mod directories;
mod env_file;
mod files;
mod model;
mod package_json;
mod parameters;
mod request;
mod run_log;
mod run_log_page;
mod run_log_record;
mod run_log_window;
mod texts;

use base::name::ToolName;
use serde_json::{Value, json};
use toolbox::model::Description;

fn tool(name: &str) -> ToolName {
    ToolName::parse(name).unwrap()
}

/// The report of a tool that says everything.
fn full_report() -> Value {
    json!({
        "members": ["execute", "getMetadata", "getSchema"],
        "metadata": {
            "name": "pdf-reader", "description": "读取 PDF\n并提取文本", "version": "2.1.0", "author": "某人",
            "tags": ["pdf", "text"], "scenarios": ["提取文本", "统计页数"], "limitations": ["不支持加密的文件"]
        },
        "schema": {
            "parameters": {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "文件路径 | 绝对路径", "minLength": 1},
                    "mode": {"type": "string", "enum": ["text", "pages"], "default": "text", "description": "输出"},
                    "limit": {"type": "integer", "minimum": 1, "maximum": 100}
                },
                "required": ["path"]
            },
            "environment": {
                "type": "object",
                "properties": {
                    "API_KEY": {"type": "string", "description": "服务密钥", "default": "none-yet"},
                    "MAX_SIZE": {"type": "number", "description": "最大字节数", "default": 1024, "minimum": 1},
                    "ROOT": {"type": "string", "description": "根目录 | 必需", "example": "/data"},
                    "DEBUG": {"type": "boolean", "description": "调试"}
                },
                "required": ["ROOT"]
            }
        },
        "dependencies": {"pdf-parse": "^1.1.1", "./local.js": "local", "docker": ">=20.0.0"},
        "systemDependencies": ["docker"],
        "businessErrors": [
            {"code": "ENCRYPTED", "description": "文件已加密", "solution": "先解密", "retryable": false},
            {"code": "BUSY", "description": "文件被占用", "solution": "稍后再试", "retryable": true}
        ],
        "runtimeConfig": {
            "sandboxType": "nodejs", "maxMemory": 256, "maxExecutionTime": 60,
            "allowedDirectories": ["~/.prompt-manager/toolbox/{toolname}/data"],
            "networkAccess": {"hosts": ["example.org"], "loopback": [8080]},
            "environment": {"NODE_ENV": "production", "LEVEL": 3}
        }
    })
}

fn full() -> Description {
    Description::from_report(&tool("pdf-reader"), full_report(), base::Lang::ZhCn).unwrap()
}

/// A tool that has `execute` and nothing else.
fn bare() -> Description {
    Description::from_report(&tool("bare"), json!({"members": ["execute"]}), base::Lang::ZhCn).unwrap()
}
