//! The worker's side: everything that happens inside the wall.
//!
//! One thread runs JavaScript; another only reads the pipe, so that a stop reaches a busy loop.
//! One run at a time. The event loop turns only while a run is open, so timers, rejections and
//! log lines belong to a run (HOUSE, "Workers").

pub(crate) mod children;
mod common_names;
mod control;
mod cycle;
mod depth;
mod engine;
mod failure;
mod free_names;
mod json;
mod loader;
mod manifest;
mod memory;
pub(crate) mod network;
mod notebook;
mod outbox;
mod outline;
mod poller;
mod program;
mod resolve;
mod script;
mod state;
mod storage;
mod strip;
mod together;
mod tool;

pub(crate) use common_names::is_module;
pub(crate) use control::{Halt, Part};
pub(crate) use cycle::back_into;
pub(crate) use engine::object_of;
pub(crate) use failure::{node_error, node_error_between};
pub(crate) use loader::{
    Format, file_url, format, read_text, resolve, source_text, unresolved, without_types,
};
pub use memory::LastResort;
pub(crate) use memory::{Charge, usage};
pub(crate) use resolve::{Asking, Target};
pub(crate) use state::{Shared, State};

use crate::protocol::{FromGuest, Load, ToGuest, read_frame};
use control::Control;
use outbox::Outbox;
use rquickjs::{Ctx, Function};
use sandbox::net::broker::Receiver;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;

/// Stack of the thread that runs JavaScript, bytes; QuickJS is told half of it.
const STACK: usize = 8 * 1024 * 1024;

/// Stack of the thread that reads the pipe, bytes: parsing goes as deep as parameters are nested.
const PIPE_STACK: usize = 2 * 1024 * 1024;

/// What a program puts into its engines besides; it is given the `require` of the Node layer. Only
/// the hostile worker of the tests has one (`examples/hostile_worker`), and with it no script's
/// names are checked: what is left is the wall.
pub type Extra = for<'js> fn(&Ctx<'js>, Function<'js>) -> rquickjs::Result<()>;

/// Serves the owner until the pipe closes.
pub fn serve(channel: UnixStream) -> ExitCode {
    serve_with(channel, None)
}

pub fn serve_with(channel: UnixStream, extra: Option<Extra>) -> ExitCode {
    let channel = Arc::new(channel);
    let control = Arc::new(Control::default());
    let outbox = Outbox::new(channel.clone());

    let reading = control.clone();
    let reader = std::thread::Builder::new()
        .name("pipe".to_owned())
        .stack_size(PIPE_STACK)
        .spawn(move || {
            let mut channel = Receiver::new(&*channel);
            loop {
                let read = read_frame::<ToGuest>(&mut channel);
                // One that belongs to nothing is closed here.
                let socket = channel.take_socket();
                match read {
                    Ok(Some((message, _))) => reading.push(message, socket),
                    Ok(None) => break reading.close(),
                    Err(error) => {
                        eprintln!("{error}");
                        break reading.close();
                    }
                }
            }
        });
    let script = std::thread::Builder::new()
        .name("script".to_owned())
        .stack_size(STACK)
        .spawn(move || serve_messages(&control, outbox, extra));
    match (reader, script) {
        (Ok(_), Ok(script)) => match script.join() {
            // The engine is not torn down: the process ends, and the system takes it all back.
            Ok(code) => code,
            Err(_) => ExitCode::FAILURE,
        },
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn serve_messages(control: &Arc<Control>, outbox: Outbox, extra: Option<Extra>) -> ExitCode {
    let Some(ToGuest::Load(load)) = control.next() else {
        return ExitCode::SUCCESS;
    };
    let served = match load {
        Load::Tool(load) => tool::serve(control, outbox, load, tool::Way::Execute, extra),
        Load::Trial(load) => tool::serve(control, outbox, load, tool::Way::Trial, extra),
        Load::Describe(load) => tool::describe(control, outbox, load, extra),
        Load::Script(load) => script::serve(control, outbox, load, extra),
        Load::Notebook(load) => notebook::serve(control, outbox, load, extra),
        Load::Program(load) => program::serve(control, outbox, load),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// What ends a worker for good; said on stderr, which the owner keeps.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GuestError {
    #[error("engine: {0}")]
    Engine(#[from] rquickjs::Error),
    #[error(transparent)]
    Pipe(#[from] crate::protocol::FrameError),
}

/// Answers a run, or the load, that could not even start.
fn done(run: u64, failure: crate::protocol::GuestFailure) -> FromGuest {
    FromGuest::Done {
        run,
        outcome: crate::protocol::Outcome::Failed(failure),
        usage: memory::usage(),
        last: false,
    }
}
