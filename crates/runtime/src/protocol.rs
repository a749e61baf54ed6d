//! What owner and worker say to each other over one stream socket.
//!
//! A frame is `u32` length of JSON, `u32` length of a blob (both little-endian), the JSON, the
//! blob. Pictures travel as blobs, never inside JSON. Both sides refuse frames over the limits:
//! a worker runs hostile code and may send anything.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// Bytes of JSON in one frame.
pub const JSON_LIMIT: usize = 64 * 1024 * 1024;
/// Bytes of one blob: an encoded picture of the largest canvas.
pub const BLOB_LIMIT: usize = 512 * 1024 * 1024;

/// Bytes of one log message, or of the message of a failure; the rest is cut and said to be.
pub const MESSAGE_LIMIT: usize = 64 * 1024;
/// Bytes of log of one run; what comes after is counted, not sent.
pub const LOG_LIMIT: usize = 8 * 1024 * 1024;
/// What a message counts beside its text.
pub const MESSAGE_COST: usize = 64;
/// Bytes of the text of progress.
pub const PROGRESS_TEXT: usize = 4 * 1024;

/// Exit code of a worker that the system gave no more memory.
pub const EXIT_NO_MEMORY: u8 = 72;

/// Values in a result. Each takes some 60 bytes of the owner's memory while it is read, and can be two
/// bytes of text.
pub const RESULT_VALUES: usize = 2_000_000;
/// Values in the JSON of one frame: a result, and what stands around it.
const VALUES_LIMIT: usize = RESULT_VALUES + 1_000;

/// How deep parameters and results may be nested. JSON is read to 127 levels; the frame takes
/// three of them, and whoever passes a result on wraps it again.
pub const DEPTH_LIMIT: usize = 100;

/// Owner to worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub enum ToGuest {
    /// The first message: what this worker is.
    Load(Load),
    Run {
        run: u64,
        params: Value,
    },
    /// Soft stop; the process is killed when it does not answer.
    Stop {
        run: u64,
        why: Stop,
    },
    /// The connection that was asked for; its socket comes with the first byte of the frame.
    Socket {
        id: u64,
        address: String,
        port: u16,
    },
    /// There is no connection, no address, no listening.
    Refused {
        id: u64,
        code: String,
        message: String,
        /// The system's number, where the system said no, and where it tried.
        errno: Option<i32>,
        address: Option<String>,
    },
    /// The addresses of a name.
    Resolved {
        id: u64,
        addresses: Vec<String>,
    },
    /// Connections may be asked for with `Accept`.
    Listening {
        id: u64,
        address: String,
        port: u16,
    },
    /// The program that was asked for runs; the sockets of its streams came before.
    Spawned {
        id: u64,
        pid: u32,
    },
    /// Nothing of a program lives any more. `code` is 128 + n after a signal n that it was not sent
    /// from here.
    Exited {
        id: u64,
        code: Option<i32>,
        /// That it was killed with, because the worker asked for it.
        signal: Option<i32>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    TimeLimit,
    Cancelled,
}

/// What a worker is for its whole life.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum Load {
    Tool(ToolLoad),
    /// As `Tool`, but a result is `{kind, result}`: of what kind it was before it was JSON. Only
    /// objects and texts are given as they are.
    Trial(ToolLoad),
    /// Loads a tool, says what it is, ends.
    Describe(ToolLoad),
    Script(ScriptLoad),
    /// Stays for the cells of one notebook, which share their global names.
    Notebook(ScriptLoad),
    /// Runs a file once and ends.
    Program(ProgramLoad),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProgramLoad {
    pub folder: PathBuf,
    /// File name in `folder`: `.mjs` a module, `.cjs` CommonJS, others a sloppy script.
    pub main: String,
    /// The complete `process.env`.
    pub env: Vec<(String, String)>,
    /// Bytes.
    pub heap: u64,
    pub canvas_pixels: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ToolLoad {
    pub name: String,
    pub folder: PathBuf,
    /// File name in `folder` of the ES module, or of the module of Python.
    pub main: String,
    /// The complete `process.env`.
    pub env: Vec<(String, String)>,
    /// Absolute, the first is where relative paths resolve.
    pub directories: Vec<PathBuf>,
    /// The user's home and the data home, for `~` in paths.
    pub user_home: PathBuf,
    pub data_home: PathBuf,
    /// Bytes.
    pub heap: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScriptLoad {
    /// Bytes.
    pub heap: u64,
    pub canvas_pixels: u64,
    pub result_chars: usize,
}

/// The field of a tool's description that is its [`Outline`].
pub const OUTLINE: &str = "outline";

/// Line and column, from 1.
pub type Place = (u32, u32);

/// Where the parts of a tool stand in its source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outline {
    /// By `member` and `member.field.field`, the fields being those of what the member returns.
    pub places: BTreeMap<String, Place>,
    /// How many parameters a member takes.
    pub parameters: BTreeMap<String, u32>,
    /// Packages that are imported.
    pub imports: Vec<(String, Place)>,
    pub default_export: Option<Place>,
    /// The first `module.exports =`.
    pub commonjs: Option<Place>,
}

/// Parameters of a script's run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScriptRun {
    pub code: String,
    /// Absent is `undefined`, `null` is `null`.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub input: Option<Value>,
}

/// Parameters of a notebook's run, which is a stretch of a cell: up to its end, or to the next thing
/// that it asks for and waits for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum NotebookRun {
    /// A cell from its beginning, under a number that no other has.
    Cell { cell: u64, code: String },
    /// The cell goes on with what it asked for. Others may wait meanwhile.
    Answer { cell: u64, question: u64, value: Value },
    /// It cannot be had.
    Refuse {
        cell: u64,
        question: u64,
        code: String,
        message: String,
    },
}

/// What a stretch came to: the value of its run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum Stretch {
    /// The value of the last expression, as text; empty when it has none.
    Done { value: String },
    Input {
        question: u64,
        hint: String,
        from: String,
    },
    Tool {
        question: u64,
        name: String,
        params: Value,
    },
}

/// What is there is something, even `null`.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// Worker to owner.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case")]
pub enum FromGuest {
    /// Loaded; runs may come.
    Ready,
    Log {
        level: Level,
        text: String,
    },
    Progress {
        done: f64,
        total: Option<f64>,
        text: Option<String>,
    },
    /// Asks for a connection.
    Connect {
        id: u64,
        host: String,
        port: u16,
    },
    /// Asks for the addresses of a name.
    Resolve {
        id: u64,
        host: String,
    },
    /// Asks to listen on this machine.
    Listen {
        id: u64,
        host: String,
        port: u16,
    },
    /// Takes the next connection to what listens as `server`; its socket is the answer.
    Accept {
        id: u64,
        server: u64,
    },
    Unlisten {
        server: u64,
    },
    /// Asks for a program to be started; it is not the worker that may.
    Spawn(Box<Spawn>),
    /// Ends it and all that it started. `signal`: what it is said to have ended by.
    Kill {
        child: u64,
        signal: i32,
    },
    /// The end of a run or of loading. A blob, if any, is the PNG. `last`: the worker ends with
    /// it, because the run left work behind that would go on in the next one.
    Done {
        run: u64,
        outcome: Outcome,
        usage: Usage,
        last: bool,
    },
}

/// A program as a tool asks for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spawn {
    pub id: u64,
    /// The numbers under which sockets of its input, output and errors are sent; one without is
    /// nothing to read and nowhere to write to.
    pub streams: [Option<u64>; 3],
    /// The number under which its end is told.
    pub exit: u64,
    /// A path, or a name that is looked for where programs are.
    pub file: String,
    /// Without its own name.
    pub args: Vec<String>,
    /// Absolute.
    pub cwd: PathBuf,
    pub env: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Ok {
        value: Value,
        picture: Option<PictureSize>,
    },
    Failed(GuestFailure),
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PictureSize {
    pub width: u32,
    pub height: u32,
}

/// What a worker used, since it started.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Usage {
    pub cpu_ms: f64,
    /// Peak resident memory, bytes.
    pub memory: u64,
}

/// Why a run failed, as the guest knows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuestFailure {
    pub cause: Cause,
    /// `TypeError`, `Error`, a class of the tool's own…
    #[serde(default)]
    pub name: String,
    pub message: String,
    #[serde(default)]
    pub stack: String,
    #[serde(default)]
    pub line: Option<u32>,
    #[serde(default)]
    pub column: Option<u32>,
    /// The error's own `code` property.
    #[serde(default)]
    pub code: Option<String>,
    /// `code` of the tool's business error that matched.
    #[serde(default)]
    pub business: Option<String>,
    /// Names that a script may not use; the package that is missing; the script's own result.
    #[serde(default)]
    pub detail: Option<Value>,
    /// What the tool kept in memory went with the run.
    #[serde(default)]
    pub state_lost: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The code threw, or its module could not be loaded.
    Threw,
    TimeLimit,
    Cancelled,
    MemoryLimit,
    /// `process.exit()`.
    Exited,
    /// Nothing is left to do but the promise is still pending.
    NeverSettles,
    NotSerializable,
    ResultTooLarge,
    DependencyMissing,
    BlockedCode,
    CanvasExport,
    /// A package needs machine code for Node, which is not here.
    NativeAddon,
    /// The machine's Node cannot run tools.
    OldNode,
    /// Nor can its Python.
    OldPython,
}

#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("frame of {json} + {blob} bytes is over the limit")]
    TooLarge { json: usize, blob: usize },
    #[error("frame of {0} values is over the limit")]
    TooMany(usize),
    #[error("frame is not of the protocol")]
    Json(#[from] serde_json::Error),
    #[error("pipe")]
    Io(#[from] io::Error),
}

/// Length fields of a frame.
pub const HEAD: usize = 8;

/// Reads the length fields; `Err` when they are over the limits.
pub fn parse_head(head: [u8; HEAD]) -> Result<(usize, usize), FrameError> {
    let number =
        |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]) as usize;
    let (json, blob) = (number(0), number(4));
    if json > JSON_LIMIT || blob > BLOB_LIMIT {
        Err(FrameError::TooLarge { json, blob })
    } else {
        Ok((json, blob))
    }
}

/// How many values this JSON has at the most, keys among them; nothing is kept of it.
pub fn values(json: &[u8]) -> usize {
    let (mut count, mut at) = (1, 0);
    let mut quoted = false;
    while let Some(byte) = json.get(at) {
        match byte {
            b'\\' if quoted => at += 1,
            b'"' => quoted = !quoted,
            b',' | b':' | b'[' | b'{' if !quoted => count += 1,
            _ => {}
        }
        at += 1;
    }
    count
}

/// The JSON of a frame from someone who may be hostile.
pub fn decode<T: for<'de> Deserialize<'de>>(json: &[u8]) -> Result<T, FrameError> {
    if json.len() > VALUES_LIMIT {
        let values = values(json);
        if values > VALUES_LIMIT {
            return Err(FrameError::TooMany(values));
        }
    }
    Ok(serde_json::from_slice(json)?)
}

/// A whole frame but its blob, ready to be written.
pub fn encode<T: Serialize>(message: &T, blob: usize) -> Result<Vec<u8>, FrameError> {
    let mut bytes = vec![0; HEAD];
    serde_json::to_writer(&mut bytes, message)?;
    let json = bytes.len() - HEAD;
    if json > JSON_LIMIT || blob > BLOB_LIMIT {
        return Err(FrameError::TooLarge { json, blob });
    }
    // Both fit in 32 bits: the limits are far below.
    bytes[..4].copy_from_slice(&(json as u32).to_le_bytes());
    bytes[4..HEAD].copy_from_slice(&(blob as u32).to_le_bytes());
    Ok(bytes)
}

/// Writes a frame on a blocking stream.
pub fn write_frame<T: Serialize>(mut stream: impl Write, message: &T, blob: &[u8]) -> Result<(), FrameError> {
    let bytes = encode(message, blob.len())?;
    stream.write_all(&bytes)?;
    stream.write_all(blob)?;
    stream.flush()?;
    Ok(())
}

/// Reads a frame from a blocking stream; `None` at a clean end.
pub fn read_frame<T: for<'de> Deserialize<'de>>(
    mut stream: impl Read,
) -> Result<Option<(T, Vec<u8>)>, FrameError> {
    let mut head = [0; HEAD];
    match stream.read_exact(&mut head) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    let (json, blob) = parse_head(head)?;
    let mut bytes = vec![0; json];
    stream.read_exact(&mut bytes)?;
    let message = serde_json::from_slice(&bytes)?;
    let mut rest = vec![0; blob];
    stream.read_exact(&mut rest)?;
    Ok(Some((message, rest)))
}

/// Says how much is missing.
pub fn cut(text: &mut String, limit: usize) {
    if text.len() > limit {
        let cut = text.floor_char_boundary(limit);
        let rest = text.len() - cut;
        text.truncate(cut);
        text.push_str(&format!("… (+{rest} bytes)"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_counted_and_strings_are_one() {
        for (json, right) in [
            ("1", 1),
            (r#""a,b:[{""#, 1),
            (r#""\",[""#, 1),
            ("[1,2,3]", 4),
            (r#"{"a":[1,{"b":"c,d"}]}"#, 7),
            ("[[[]]]", 4),
        ] {
            assert_eq!(values(json.as_bytes()), right, "{json}");
        }
        let many = format!("[{}0]", "0,".repeat(VALUES_LIMIT));
        assert!(matches!(
            decode::<Value>(many.as_bytes()),
            Err(FrameError::TooMany(_))
        ));
        let text = format!("\"{}\"", ",".repeat(VALUES_LIMIT * 2));
        assert!(decode::<Value>(text.as_bytes()).is_ok());
    }

    #[test]
    fn frames_round_trip_and_limits_hold() {
        let mut pipe = Vec::new();
        write_frame(&mut pipe, &FromGuest::Ready, b"").unwrap();
        write_frame(
            &mut pipe,
            &FromGuest::Log {
                level: Level::Warn,
                text: "日志".into(),
            },
            b"blob",
        )
        .unwrap();
        let mut read = pipe.as_slice();
        assert!(matches!(
            read_frame::<FromGuest>(&mut read).unwrap(),
            Some((FromGuest::Ready, _))
        ));
        let (message, blob) = read_frame::<FromGuest>(&mut read).unwrap().unwrap();
        assert!(matches!(message, FromGuest::Log { level: Level::Warn, text } if text == "日志"));
        assert_eq!(blob, b"blob");
        assert!(read_frame::<FromGuest>(&mut read).unwrap().is_none());

        let huge = [0xff; HEAD];
        assert!(matches!(
            read_frame::<FromGuest>(&huge[..]),
            Err(FrameError::TooLarge { .. })
        ));
    }

    /// A frame of every kind, from either side.
    fn frames() -> Vec<Vec<u8>> {
        let failure = GuestFailure::new(Cause::Threw, "日志");
        let usage = Usage::default();
        let outcome = Outcome::Failed(failure);
        let texts = [
            serde_json::to_value(FromGuest::Ready),
            serde_json::to_value(FromGuest::Log {
                level: Level::Info,
                text: "x".into(),
            }),
            serde_json::to_value(FromGuest::Progress {
                done: 0.5,
                total: None,
                text: Some("y".into()),
            }),
            serde_json::to_value(FromGuest::Connect {
                id: 1,
                host: "h".into(),
                port: 1,
            }),
            serde_json::to_value(FromGuest::Done {
                run: 1,
                outcome,
                usage,
                last: true,
            }),
            serde_json::to_value(ToGuest::Run {
                run: 1,
                params: serde_json::json!({"a": [1, null, "b"]}),
            }),
            serde_json::to_value(ToGuest::Stop {
                run: 1,
                why: Stop::TimeLimit,
            }),
            serde_json::to_value(ToGuest::Socket {
                id: 1,
                address: "::1".into(),
                port: 1,
            }),
            serde_json::to_value(ToGuest::Refused {
                id: 1,
                code: "c".into(),
                message: "m".into(),
                errno: None,
                address: None,
            }),
            serde_json::to_value(ToGuest::Load(Load::Script(ScriptLoad {
                heap: 1,
                canvas_pixels: 1,
                result_chars: 1,
            }))),
        ];
        texts
            .into_iter()
            .map(|text| encode(&text.unwrap(), 0).unwrap())
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        /// Changed in some places and cut off in one, a frame is an error, another message, or the end.
        #[test]
        fn damaged_frames_are_errors_not_panics(
            which in 0_usize..10, changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 0..6), keep in 0.0..1.2_f64
        ) {
            let mut bytes = frames()[which].clone();
            for (at, byte) in changes {
                let at = at % bytes.len();
                // The announced lengths stay small: what is announced is made room for.
                if ![1, 2, 3, 5, 6, 7].contains(&at) { bytes[at] = byte; }
            }
            bytes.truncate((bytes.len() as f64 * keep) as usize);
            for frame in [read_frame::<FromGuest>(bytes.as_slice()).map(drop), read_frame::<ToGuest>(bytes.as_slice()).map(drop)] {
                if let Err(FrameError::TooLarge { .. }) = frame { prop_assert!(false, "small lengths are not too large") }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn rubbish_is_an_error_not_a_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            // Keep the announced lengths small so that the body is reached.
            for at in [1, 2, 3, 5, 6, 7] {
                if let Some(byte) = bytes.get_mut(at) { *byte = 0; }
            }
            let _ = read_frame::<ToGuest>(bytes.as_slice());
            let _ = read_frame::<FromGuest>(bytes.as_slice());
        }
    }
}
