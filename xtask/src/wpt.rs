//! `cargo xtask wpt --cases DIR`: canvas conformance cases through `pm conformance`, one process
//! a case, so that a case that hangs or dies takes no other with it.
//!
//! The cases are not part of this repository: DIR has `cases.json`, `helpers.js`, `images/` and
//! `fonts/`.

use crate::files::TempDir;
use crate::{Outcome, Usage, proc};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Cases that are not passed, and why. Every other failure fails the command, and so does an exception that
/// is none any more. Of core there is none.
const EXCEPTIONS: [(&str, &str); 17] = [
    ("2d.color.type.u8p3.to.f16srgb.to.u8p3", HALVES),
    ("2d.color.type.u8srgb.to.f16p3.to.u8srgb", HALVES),
    ("2d.imageData.createImageBitmap.p3.rgba.unorm8", HALVES),
    ("2d.imageData.createImageBitmap.srgb.rgba.float16", HALVES),
    (
        "2d.fillStyle.CSSRGB",
        "asks for CSS Typed OM, which belongs to the style sheets of a page",
    ),
    (
        "drawimage_html_image",
        "asks a server of the suite for a file that is not among the cases",
    ),
    (
        "imagedata-no-color-settings-crash",
        "calls createImageData(array, …), which the standard does not have",
    ),
    (
        "2d.filter.layers.componentTransfer.linear.tentative",
        "its reference ends a layer that it never began",
    ),
    (
        "unclosed-layers",
        "the pixels of open layers are compared, but the draft forbids to read them",
    ),
    (
        "2d.layer.blur-from-outside-canvas.no-clipping.ctx-filter",
        TWO_BLURS,
    ),
    (
        "2d.layer.blur-from-outside-canvas.with-clipping.ctx-filter",
        TWO_BLURS,
    ),
    (
        "2d.layer.blur-from-outside-canvas.with-clipping.layer-filter.tentative",
        TWO_BLURS,
    ),
    ("2d.layer.opaque-canvas.ctx-filter", ROUNDED),
    ("2d.layer.shadow-from-outside-canvas.long-distance.*", FAR),
    (
        "2d.layer.shadow-from-outside-canvas.long-distance-with-clipping.*",
        FAR,
    ),
    ("2d.text.measure.fillTextCluster-font-change.tentative", ROUNDED),
    ("2d.text.measure.strokeTextCluster-font-change.tentative", ROUNDED),
];
const HALVES: &str = "canvases and bitmaps have eight bits a channel, whatever colorType asks for";
const TWO_BLURS: &str = "its reference is an SVG picture, blurred by another library: premultiplied, pixels differ by 2 of 255 at most";
const FAR: &str =
    "a filter of a layer brings in what lies up to 4096 pixels outside, which bounds its memory";
const ROUNDED: &str = "differs by 1 of 255 in a few pixels, where one picture is made in two ways";

fn exception(name: &str) -> Option<&'static str> {
    let is = |pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    EXCEPTIONS
        .iter()
        .find(|(pattern, _)| is(pattern))
        .map(|(_, why)| *why)
}

const CASE_LIMIT: Duration = Duration::from_secs(60);
/// Begins the line in which the script says how its case went.
const MARK: &str = "CASE ";

#[derive(Debug, Default, PartialEq)]
struct Options {
    cases: PathBuf,
    only: Option<String>,
    tier: Option<String>,
}

#[derive(Clone, Debug)]
struct Verdict {
    name: String,
    tier: String,
    passed: bool,
    message: String,
}

pub fn run(words: &[String]) -> Outcome<ExitCode> {
    let options = parse(words)?;
    let cases = read_cases(&options)?;
    let pm = proc::built("debug", "pm");
    proc::build_programs(&[])?;
    if proc::ask(proc::program(&pm).args(["conformance", "--help"])).is_none() {
        return Err("this pm has no verb conformance: the cases cannot be run".into());
    }
    let folder = TempDir::new("wpt")?;
    let parts = Parts::read(&options.cases)?;
    let verdicts = run_all(&pm, &cases, &parts, folder.path())?;
    print_report(&verdicts);
    Ok(if verdicts.iter().all(Verdict::is_expected) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

impl Verdict {
    fn is_expected(&self) -> bool {
        self.passed != exception(&self.name).is_some()
    }
}

fn parse(words: &[String]) -> Result<Options, Usage> {
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || {
            words
                .next()
                .cloned()
                .ok_or_else(|| Usage(format!("{word} what?")))
        };
        match word.as_str() {
            "--cases" => options.cases = PathBuf::from(value()?),
            "--only" => options.only = Some(value()?),
            "--tier" => options.tier = Some(value()?),
            other => return Err(Usage(format!("unexpected: {other}"))),
        }
    }
    if options.cases.as_os_str().is_empty() {
        return Err(Usage("wpt needs --cases DIR".into()));
    }
    Ok(options)
}

fn read_cases(options: &Options) -> Outcome<Vec<Value>> {
    let path = options.cases.join("cases.json");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let Value::Array(cases) = serde_json::from_str(&text)? else {
        return Err(format!("{} is no list", path.display()).into());
    };
    let wanted = |case: &Value| {
        let name = case["name"].as_str().unwrap_or_default();
        options.only.as_ref().is_none_or(|part| name.contains(part))
            && options.tier.as_ref().is_none_or(|tier| case["tier"] == **tier)
    };
    let cases: Vec<Value> = cases.into_iter().filter(wanted).collect();
    if cases.is_empty() {
        Err("no case is left".into())
    } else {
        Ok(cases)
    }
}

/// What cases are built from: the assertions, and pictures and fonts as `data:` addresses.
struct Parts {
    helpers: String,
    images: BTreeMap<String, String>,
    fonts: BTreeMap<String, String>,
}

impl Parts {
    fn read(cases: &Path) -> Outcome<Self> {
        Ok(Parts {
            helpers: fs::read_to_string(cases.join("helpers.js"))?,
            images: data_urls(&cases.join("images"))?,
            fonts: data_urls(&cases.join("fonts"))?,
        })
    }
}

/// What a case is run with; only standard globals are used.
const HOST: &str = r"
const host = {
  createCanvas: (width, height) => Object.assign(document.createElement('canvas'), { width, height }),
  // One that cannot be loaded is on the page all the same.
  loadImage: (name) => new Promise((there) => {
    const image = new Image();
    image.onload = () => there(image);
    image.onerror = () => there(image);
    image.src = IMAGES[name.split('/').pop()] || 'data:,missing';
  }),
  imagesPrefix: '',
};
// The page is there by the time a case runs.
globalThis.addEventListener = (type, listener) => {
  if (type === 'load') setTimeout(() => listener({ type }));
};
// A font that cannot be loaded is one of the things that cases are about.
const loadFont = async ([name, address]) => {
  const face = new FontFace(name, 'url(' + address + ')');
  await face.load().then(() => fonts.add(face), () => {});
};
const say = (verdict) => print('CASE ' + JSON.stringify(verdict));
Promise.all(Object.entries(FONTS).map(loadFont))
  .then(() => makeWptEnv(host).runCase(CASE))
  .then(say, (error) => say({ status: 'FAIL', message: String(error && error.message || error) }));
";

fn data_urls(folder: &Path) -> Outcome<BTreeMap<String, String>> {
    let mut urls = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let (Some(name), Some(end)) = (path.file_name(), path.extension()) else {
            continue;
        };
        let kind = match end.to_string_lossy().as_ref() {
            "png" => "image/png",
            "gif" => "image/gif",
            "svg" => "image/svg+xml",
            "ttf" => "font/ttf",
            "woff" => "font/woff",
            _ => continue,
        };
        urls.insert(
            name.to_string_lossy().into_owned(),
            format!("data:{kind};base64,{}", STANDARD.encode(fs::read(&path)?)),
        );
    }
    Ok(urls)
}

/// The pictures and fonts that the case names come with it.
fn script(parts: &Parts, case: &Value) -> String {
    let mut case = case.to_string();
    let images: BTreeMap<&String, &String> = parts
        .images
        .iter()
        .filter(|(name, _)| case.contains(*name))
        .collect();
    let fonts: BTreeMap<&str, &String> = parts
        .fonts
        .iter()
        .map(|(file, url)| (file.rsplit_once('.').map_or(file.as_str(), |(name, _)| name), url))
        .filter(|(name, _)| case.contains(name))
        .collect();
    let head = format!(
        "{}\nconst IMAGES = {};\nconst FONTS = {};\n",
        parts.helpers,
        json!(images),
        json!(fonts)
    );
    for (name, url) in &images {
        case = case.replace(&format!("__IMAGES__/{name}"), url);
    }
    // Where the suite's own server has them.
    for (file, url) in &parts.fonts {
        case = case.replace(&format!("/fonts/{file}"), url);
    }
    format!("{head}const CASE = {case};\n{HOST}")
}

fn run_all(pm: &Path, cases: &[Value], parts: &Parts, folder: &Path) -> Outcome<Vec<Verdict>> {
    let next = Mutex::new(0..cases.len());
    let verdicts = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.lock().ok().and_then(|mut rest| rest.next());
                    let Some(at) = at else { return };
                    let verdict = run_case(pm, &cases[at], parts, &folder.join(format!("{at}.js")));
                    if let Ok(mut verdicts) = verdicts.lock() {
                        verdicts.push((at, verdict));
                    }
                }
            });
        }
    });
    let mut verdicts = verdicts.into_inner().map_err(|_| "a case stopped the runner")?;
    verdicts.sort_by_key(|(at, _)| *at);
    Ok(verdicts.into_iter().map(|(_, verdict)| verdict).collect())
}

fn run_case(pm: &Path, case: &Value, parts: &Parts, file: &Path) -> Verdict {
    let text = |field: &str| case[field].as_str().unwrap_or("unknown").to_owned();
    let outcome = execute(pm, &script(parts, case), file);
    let (passed, message) = match outcome {
        Ok(printed) => judge(&printed),
        Err(error) => (false, error.to_string()),
    };
    Verdict {
        name: text("name"),
        tier: text("tier"),
        passed,
        message,
    }
}

fn execute(pm: &Path, script: &str, file: &Path) -> Outcome<String> {
    fs::write(file, script)?;
    let output = file.with_extension("out");
    let mut child = proc::spawn(
        proc::program(pm)
            .arg("conformance")
            .arg(file)
            .stdout(fs::File::create(&output)?)
            .stderr(Stdio::null()),
    )?;
    let begun = Instant::now();
    while child.try_wait()?.is_none() {
        if begun.elapsed() > CASE_LIMIT {
            child.kill()?;
            child.wait()?;
            return Err(format!("still ran after {} s", CASE_LIMIT.as_secs()).into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(String::from_utf8_lossy(&fs::read(&output)?).into_owned())
}

fn judge(printed: &str) -> (bool, String) {
    let said = printed.lines().find_map(|line| line.strip_prefix(MARK));
    match said.and_then(|said| serde_json::from_str::<Value>(said).ok()) {
        // Two blank pictures that are equal show nothing, but they are equal.
        Some(verdict) => (
            matches!(verdict["status"].as_str(), Some("PASS" | "VACUOUS")),
            verdict["message"].as_str().unwrap_or_default().to_owned(),
        ),
        None => {
            let last = printed.lines().next_back().unwrap_or("nothing");
            (false, format!("the script did not finish; it printed {last}"))
        }
    }
}

fn print_report(verdicts: &[Verdict]) {
    let mut tiers: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for verdict in verdicts {
        let (passed, all) = tiers.entry(&verdict.tier).or_default();
        *passed += usize::from(verdict.passed);
        *all += 1;
        let Verdict {
            name, tier, message, ..
        } = verdict;
        match (verdict.passed, exception(name)) {
            (true, None) => {}
            (true, Some(_)) => println!("PASS  {tier}  {name}: is among the exceptions"),
            (false, None) => println!("FAIL  {tier}  {name}: {message}"),
            (false, Some(why)) => println!("except  {tier}  {name}: {why}"),
        }
    }
    for (tier, (passed, all)) in tiers {
        println!(
            "{tier:<10} {passed}/{all} ({:.1} %)",
            100.0 * passed as f64 / all as f64
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_read_from_the_marked_line() {
        assert_eq!(
            judge("noise\nCASE {\"status\":\"PASS\"}\n"),
            (true, String::new())
        );
        assert_eq!(
            judge("CASE {\"status\":\"FAIL\",\"message\":\"pixel\"}"),
            (false, "pixel".to_owned())
        );
        assert!(!judge("").0);
        assert!(judge("killed").1.ends_with("it printed killed"));
    }

    #[test]
    fn exceptions_are_found_by_name_and_none_twice() {
        assert_eq!(exception("unclosed-layers").map(str::is_empty), Some(false));
        assert!(exception("2d.layer.shadow-from-outside-canvas.long-distance.ctx-filter").is_some());
        assert!(exception("2d.layer.shadow-from-outside-canvas.short-distance.ctx-filter").is_none());
        let verdict = |name: &str, passed| Verdict {
            name: name.to_owned(),
            tier: "tentative".to_owned(),
            passed,
            message: String::new(),
        };
        assert!(verdict("2d.fill", true).is_expected() && !verdict("2d.fill", false).is_expected());
        assert!(
            verdict("unclosed-layers", false).is_expected()
                && !verdict("unclosed-layers", true).is_expected()
        );
    }

    #[test]
    fn arguments() {
        let of = |words: &[&str]| parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert!(of(&[]).is_err());
        assert!(of(&["--cases"]).is_err());
        let options = of(&["--cases", "x", "--tier", "core", "--only", "fill"]).unwrap();
        assert_eq!(
            (options.tier.as_deref(), options.only.as_deref()),
            (Some("core"), Some("fill"))
        );
    }

    #[test]
    fn a_case_takes_along_what_it_names() {
        let of = |name: &str, url: &str| (name.to_owned(), url.to_owned());
        let parts = Parts {
            helpers: "// helpers".to_owned(),
            images: [of("red.png", "data:red"), of("green.png", "data:green")].into(),
            fonts: [of("Ahem.ttf", "data:ahem"), of("Lato.ttf", "data:lato")].into(),
        };
        let case = json!({"code": "img.src = '__IMAGES__/red.png'; ctx.font = '10px Ahem'; load('/fonts/Ahem.ttf')"});
        let text = script(&parts, &case);
        assert!(
            text.starts_with("// helpers\nconst IMAGES = {\"red.png\":\"data:red\"}"),
            "{text}"
        );
        assert!(text.contains("FONTS = {\"Ahem\":\"data:ahem\"}"));
        assert!(text.contains("img.src = 'data:red'"));
        assert!(text.contains("load('data:ahem')"));
    }
}
