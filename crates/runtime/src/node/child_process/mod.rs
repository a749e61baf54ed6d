//! Programs that the host starts: what Node's `child_process` stands on.

use crate::guest::children::{self, Asked, Failed, Ran, Started, Whole};
use crate::guest::{State, network};
use rquickjs::{Array, Ctx, Function, Object, Result, TypedArray};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

pub(super) fn native<'js>(ctx: &Ctx<'js>, state: &Rc<State>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    let own = state.clone();
    let start = move |ctx: Ctx<'js>, asked: Object<'js>| -> Result<Object<'js>> {
        let made = Object::new(ctx.clone())?;
        match children::start(&ctx, &own, read(&asked)?)? {
            Started::Runs {
                id,
                pid,
                streams,
                exited,
            } => {
                let numbers = Array::new(ctx)?;
                for (at, stream) in streams.into_iter().enumerate() {
                    numbers.set(at, stream.map(|id| id as f64))?;
                }
                made.set("id", id as f64)?;
                made.set("pid", pid)?;
                made.set("streams", numbers)?;
                made.set("exited", exited)?;
            }
            Started::Not(failed) => tell(&made, failed)?,
        }
        Ok(made)
    };
    native.set("start", Function::new(ctx.clone(), start)?)?;
    let own = state.clone();
    let run = move |ctx: Ctx<'js>, asked: Object<'js>, whole: Object<'js>| -> Result<Object<'js>> {
        let made = Object::new(ctx.clone())?;
        match children::run(&ctx, &own, read(&asked)?, limits(&whole)?)? {
            Ok(ran) => report(&ctx, &made, ran)?,
            Err(failed) => tell(&made, failed)?,
        }
        Ok(made)
    };
    native.set("run", Function::new(ctx.clone(), run)?)?;
    let own = state.clone();
    let kill = move |id: f64, signal: i32| children::kill(&own, id as u64, signal);
    native.set("kill", Function::new(ctx.clone(), kill)?)?;
    let own = state.clone();
    let hold = move |id: f64, held: bool| network::hold(&own, id as u64, held);
    native.set("hold", Function::new(ctx.clone(), hold)?)?;
    Ok(native)
}

fn read(asked: &Object<'_>) -> Result<Asked> {
    let piped: Vec<bool> = asked.get("piped")?;
    let wants = |at: usize| piped.get(at).copied().unwrap_or(false);
    Ok(Asked {
        file: asked.get("file")?,
        args: asked.get("args")?,
        cwd: PathBuf::from(asked.get::<_, String>("cwd")?),
        env: asked
            .get::<_, Vec<Vec<String>>>("env")?
            .into_iter()
            .filter_map(|pair| <[String; 2]>::try_from(pair).ok())
            .map(|[name, value]| (name, value))
            .collect(),
        piped: [wants(0), wants(1), wants(2)],
    })
}

fn limits(whole: &Object<'_>) -> Result<Whole> {
    let input: Option<TypedArray<'_, u8>> = whole.get("input")?;
    let time: f64 = whole.get("time")?;
    let most: f64 = whole.get("most")?;
    Ok(Whole {
        input: input.map_or_else(Vec::new, |bytes| super::with_bytes(&bytes, <[u8]>::to_vec)),
        time: (time > 0.0 && time.is_finite()).then(|| Duration::from_secs_f64(time / 1000.0)),
        // Infinity is all that there is room for.
        most: most as usize,
        signal: whole.get("signal")?,
    })
}

fn report<'js>(ctx: &Ctx<'js>, made: &Object<'js>, ran: Ran) -> Result<()> {
    let [stdout, stderr] = ran.output;
    for (name, bytes) in [("stdout", stdout), ("stderr", stderr)] {
        let bytes = bytes
            .map(|bytes| TypedArray::new_copy(ctx.clone(), bytes))
            .transpose()?;
        made.set(name, bytes)?;
    }
    made.set("pid", ran.pid)?;
    made.set("code", ran.code)?;
    made.set("signal", ran.signal)?;
    made.set("ended", ran.ended.map(rustix::io::Errno::raw_os_error))
}

fn tell(made: &Object<'_>, failed: Failed) -> Result<()> {
    made.set("failed", failed.code)?;
    made.set("message", failed.message)?;
    made.set("errno", failed.errno)
}
