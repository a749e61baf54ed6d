//! Temporary.
use canvas::*;
use std::collections::HashMap;
use std::io::{BufRead, Write};
fn dec(s: &str) -> String { let b = s.as_bytes(); let mut o = vec![]; let mut i = 0; while i < b.len() { if b[i] == b'%' { o.push(u8::from_str_radix(&s[i+1..i+3], 16).unwrap()); i += 3 } else { o.push(b[i]); i += 1 } } String::from_utf8_lossy(&o).into_owned() }
fn main() {
    let fonts = Fonts::isolated();
    for f in std::fs::read_dir("/work/shared/wpt-canvas/fonts").unwrap() { let p = f.unwrap().path(); if p.extension().is_some_and(|e| e == "ttf") { fonts.register(p.file_stem().unwrap().to_str().unwrap(), std::fs::read(&p).unwrap()).unwrap(); } }
    let mut cs: HashMap<u32, Context2d> = HashMap::new();
    let mut ps: HashMap<u32, Path> = HashMap::new();
    let mut gs: HashMap<u32, Gradient> = HashMap::new();
    let mut pats: HashMap<u32, Pattern> = HashMap::new();
    let mut imgs: HashMap<u32, Bitmap> = HashMap::new();
    let mut next = 1u32;
    let stdin = std::io::stdin(); let mut out = std::io::stdout();
    for line in stdin.lock().lines() {
        let line = line.unwrap(); let a: Vec<String> = line.split('\t').map(dec).collect();
        let n = |i: usize| -> f64 { match a.get(i).map(|s| s.as_str()) { Some("Infinity") => f64::INFINITY, Some("-Infinity") => f64::NEG_INFINITY, Some("NaN") | None => f64::NAN, Some(s) => s.parse().unwrap_or(f64::NAN) } };
        let id = |i: usize| n(i) as u32;
        let m = |i: usize| Matrix::new(n(i), n(i+1), n(i+2), n(i+3), n(i+4), n(i+5));
        let rule = |i: usize| FillRule::parse(a.get(i).map_or("nonzero", |s| s)).unwrap_or_default();
        let e = |r: Result<(), CanvasError>| match r { Ok(()) => String::new(), Err(e) => format!("!{}:{e}", e.dom_name()) };
        let mut r = String::new();
        macro_rules! new { ($map:ident, $v:expr) => {{ next += 1; $map.insert(next, $v); r = next.to_string(); }} }
        let pathcall = |p: &mut dyn PathLike, k: &str, o: usize| -> String { let n = |i| n(i + o); match k {
            "closePath" => { p.close(); String::new() } "moveTo" => { p.mv(n(0), n(1)); String::new() } "lineTo" => { p.ln(n(0), n(1)); String::new() }
            "quadraticCurveTo" => { p.q(n(0), n(1), n(2), n(3)); String::new() } "bezierCurveTo" => { p.b(n(0), n(1), n(2), n(3), n(4), n(5)); String::new() }
            "arc" => e(p.arc(n(0), n(1), n(2), n(3), n(4), n(5) == 1.0)), "arcTo" => e(p.arct(n(0), n(1), n(2), n(3), n(4))),
            "ellipse" => e(p.ell(&Ellipse { center: Point::new(n(0), n(1)), radii: Point::new(n(2), n(3)), rotation: n(4), start: n(5), end: n(6), counterclockwise: n(7) == 1.0 })),
            "rect" => { p.rct(n(0), n(1), n(2), n(3)); String::new() }
            "roundRect" => { let c = n(4) as usize; let v: Vec<Radius> = (0..c).map(|i| Radius { x: n(5 + 2 * i), y: n(6 + 2 * i) }).collect(); e(p.rr(n(0), n(1), n(2), n(3), &v)) }
            _ => "?".into() } };
        match a[0].as_str() {
            "newcanvas" => new!(cs, Context2d::with_fonts(Canvas::new(id(1), id(2)).unwrap(), fonts.clone())),
            "newpath" => new!(ps, match a.get(1) { Some(s) => Path::from_svg(s), None => Path::new() }),
            "copypath" => { let p = ps[&id(1)].clone(); new!(ps, p) }
            "addpath" => { let p = ps[&id(2)].clone(); ps.get_mut(&id(1)).unwrap().add_path(&p, m(3)); }
            "linear" => new!(gs, Gradient::linear(n(1), n(2), n(3), n(4))),
            "radial" => match Gradient::radial(n(1), n(2), n(3), n(4), n(5), n(6)) { Ok(g) => new!(gs, g), Err(x) => r = e(Err(x)) },
            "conic" => new!(gs, Gradient::conic(n(1), n(2), n(3))),
            "stop" => r = e(gs[&id(1)].add_color_stop(n(2), &a[3])),
            "pattern" => { let rep = Repetition::parse(&a[2]); match rep { None => r = "!SyntaxError:x".into(), Some(rep) => { let b = if a[3] == "c" { cs[&id(1)].canvas().snapshot() } else { imgs[&id(1)].clone() }; new!(pats, Pattern::new(b, rep)) } } }
            "pattrans" => pats[&id(1)].set_transform(m(2)),
            "img" => { let f = std::fs::read(&a[1]).unwrap_or_default(); let mut d = png::Decoder::new(std::io::Cursor::new(f)); d.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA); let rd = d.read_info(); match rd { Err(_) => r = "!bad:x".into(), Ok(mut rd) => { let mut b = vec![0; rd.output_buffer_size().unwrap()]; match rd.next_frame(&mut b) { Err(_) => r = "!bad:x".into(), Ok(i) => { let rgba: Vec<u8> = if i.color_type == png::ColorType::Rgba { b } else { b.chunks(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect() }; next += 1; imgs.insert(next, Bitmap::from_straight(i.width, i.height, &rgba).unwrap()); r = format!("{next},{},{}", i.width, i.height); } } } } }
            "path" => { let p = ps.get_mut(&id(1)).unwrap(); r = pathcall(p, &a[2], 3); }
            _ => { let key = id(1);
                let img = if a[0] == "drawImage" && a[3] == "c" && id(2) != key { Some(cs[&id(2)].canvas().snapshot()) } else { None };
                let c = cs.get_mut(&key).unwrap();
                match a[0].as_str() {
                    "save" => c.save(), "restore" => c.restore(), "reset" => c.reset(), "resize" => r = e(c.resize(id(2), id(3))),
                    "translate" => c.translate(n(2), n(3)), "scale" => c.scale(n(2), n(3)), "rotate" => c.rotate(n(2)), "transform" => c.transform(m(2)), "setTransform" => c.set_transform(m(2)), "resetTransform" => c.reset_transform(),
                    "getTransform" => { let m = c.get_transform(); r = format!("{},{},{},{},{},{}", m.a, m.b, m.c, m.d, m.e, m.f) }
                    "fillRect" => c.fill_rect(n(2), n(3), n(4), n(5)), "strokeRect" => c.stroke_rect(n(2), n(3), n(4), n(5)), "clearRect" => c.clear_rect(n(2), n(3), n(4), n(5)),
                    "beginPath" => c.begin_path(), "fill" => c.fill(rule(2)), "clip" => c.clip(rule(2)), "stroke" => c.stroke(),
                    "fillP" => c.fill_path(&ps[&id(2)], rule(3)), "clipP" => c.clip_path(&ps[&id(2)], rule(3)), "strokeP" => c.stroke_path(&ps[&id(2)]),
                    "pip" => r = c.is_point_in_path(n(2), n(3), rule(4)).to_string(), "pis" => r = c.is_point_in_stroke(n(2), n(3)).to_string(),
                    "pipP" => r = c.is_point_in_this_path(&ps[&id(2)], n(3), n(4), rule(5)).to_string(), "pisP" => r = c.is_point_in_this_stroke(&ps[&id(2)], n(3), n(4)).to_string(),
                    "setnum" => { let v = n(3); match a[2].as_str() { "globalAlpha" => c.set_global_alpha(v), "lineWidth" => c.set_line_width(v), "miterLimit" => c.set_miter_limit(v), "lineDashOffset" => c.set_line_dash_offset(v), "shadowBlur" => c.set_shadow_blur(v), "shadowOffsetX" => c.set_shadow_offset_x(v), "shadowOffsetY" => c.set_shadow_offset_y(v), _ => r = "?".into() } }
                    "setstr" => { let v = a[3].as_str(); match a[2].as_str() {
                        "globalCompositeOperation" => { if let Some(v) = CompositeOp::parse(v) { c.set_composite_op(v) } } "lineCap" => { if let Some(v) = LineCap::parse(v) { c.set_line_cap(v) } } "lineJoin" => { if let Some(v) = LineJoin::parse(v) { c.set_line_join(v) } }
                        "textAlign" => { if let Some(v) = TextAlign::parse(v) { c.set_text_align(v) } } "textBaseline" => { if let Some(v) = TextBaseline::parse(v) { c.set_text_baseline(v) } } "direction" => { if let Some(v) = Direction::parse(v) { c.set_direction(v) } }
                        "imageSmoothingQuality" => { if let Some(v) = SmoothingQuality::parse(v) { c.set_smoothing_quality(v) } } "imageSmoothingEnabled" => c.set_smoothing(v == "true"),
                        "font" => { c.set_font(v); } "fillStyle" => { c.set_fill_color(v); } "strokeStyle" => { c.set_stroke_color(v); } "shadowColor" => { c.set_shadow_color(v); } _ => r = "?".into() } }
                    "get" => r = match a[2].as_str() { "globalAlpha" => c.global_alpha().to_string(), "lineWidth" => c.line_width().to_string(), "miterLimit" => c.miter_limit().to_string(), "lineDashOffset" => c.line_dash_offset().to_string(), "shadowBlur" => c.shadow_blur().to_string(), "shadowOffsetX" => c.shadow_offset_x().to_string(), "shadowOffsetY" => c.shadow_offset_y().to_string(),
                        "globalCompositeOperation" => c.composite_op().as_str().into(), "lineCap" => c.line_cap().as_str().into(), "lineJoin" => c.line_join().as_str().into(), "textAlign" => c.text_align().as_str().into(), "textBaseline" => c.text_baseline().as_str().into(), "direction" => c.direction().as_str().into(), "imageSmoothingQuality" => c.smoothing_quality().as_str().into(), "imageSmoothingEnabled" => c.smoothing().to_string(),
                        "font" => c.font(), "shadowColor" => c.shadow_color().serialize(),
                        "fillStyle" | "strokeStyle" => match if a[2] == "fillStyle" { c.fill_style() } else { c.stroke_style() } { Style::Color(x) => x.serialize(), Style::Gradient(g) => format!("@{}", g.id()), Style::Pattern(p) => format!("@{}", p.id()) }, _ => "?".into() },
                    "setg" => { let g = gs[&id(3)].clone(); r = format!("@{}", g.id()); if a[2] == "fillStyle" { c.set_fill_style(Style::Gradient(g)) } else { c.set_stroke_style(Style::Gradient(g)) } }
                    "setp" => { let g = pats[&id(3)].clone(); r = format!("@{}", g.id()); if a[2] == "fillStyle" { c.set_fill_style(Style::Pattern(g)) } else { c.set_stroke_style(Style::Pattern(g)) } }
                    "dash" => { let v: Vec<f64> = (2..a.len()).map(n).collect(); c.set_line_dash(&v) } "getdash" => r = c.line_dash().iter().map(|v| v.to_string()).collect::<Vec<_>>().join(","),
                    "drawImage" => { let (s, d) = (RectF::new(n(4), n(5), n(6), n(7)), RectF::new(n(8), n(9), n(10), n(11))); if a[3] == "c" { match img { Some(i) => c.draw_image(&i, s, d), None => c.draw_own_image(s, d) } } else { c.draw_image(&imgs[&id(2)], s, d) } }
                    "getImageData" => match c.get_image_data(n(2) as i32, n(3) as i32, n(4) as i32, n(5) as i32) { Ok(d) => r = d.data.iter().map(|b| format!("{b:02x}")).collect(), Err(x) => r = e(Err(x)) },
                    "put" => { let h = a[2].as_bytes(); let data: Vec<u8> = (0..h.len() / 2).map(|i| u8::from_str_radix(&a[2][2 * i..2 * i + 2], 16).unwrap()).collect(); let dirty = (a.len() > 7).then(|| (n(7) as i32, n(8) as i32, n(9) as i32, n(10) as i32)); c.put_pixels(&data, id(3), id(4), (n(5) as i32, n(6) as i32), dirty) }
                    "fillText" => c.fill_text(&a[2], n(3), n(4), (a.len() > 5).then(|| n(5))), "strokeText" => c.stroke_text(&a[2], n(3), n(4), (a.len() > 5).then(|| n(5))),
                    "measure" => { let t = c.measure_text(&a[2]); r = [t.width, t.actual_bounding_box_left, t.actual_bounding_box_right, t.font_bounding_box_ascent, t.font_bounding_box_descent, t.actual_bounding_box_ascent, t.actual_bounding_box_descent, t.em_height_ascent, t.em_height_descent, t.hanging_baseline, t.alphabetic_baseline, t.ideographic_baseline].map(|v| v.to_string()).join(",") }
                    k => r = pathcall(c, k, 2),
                } }
        }
        writeln!(out, "{r}").unwrap(); out.flush().unwrap();
    }
}
trait PathLike { fn close(&mut self); fn mv(&mut self, x: f64, y: f64); fn ln(&mut self, x: f64, y: f64); fn q(&mut self, a: f64, b: f64, c: f64, d: f64); fn b(&mut self, a: f64, b: f64, c: f64, d: f64, e: f64, f: f64); fn arc(&mut self, a: f64, b: f64, c: f64, d: f64, e: f64, f: bool) -> Result<(), CanvasError>; fn arct(&mut self, a: f64, b: f64, c: f64, d: f64, e: f64) -> Result<(), CanvasError>; fn ell(&mut self, e: &Ellipse) -> Result<(), CanvasError>; fn rct(&mut self, a: f64, b: f64, c: f64, d: f64); fn rr(&mut self, a: f64, b: f64, c: f64, d: f64, r: &[Radius]) -> Result<(), CanvasError>; }
macro_rules! pl { ($t:ty) => { impl PathLike for $t { fn close(&mut self) { self.close_path() } fn mv(&mut self, x: f64, y: f64) { self.move_to(x, y) } fn ln(&mut self, x: f64, y: f64) { self.line_to(x, y) } fn q(&mut self, a: f64, b: f64, c: f64, d: f64) { self.quadratic_curve_to(a, b, c, d) } fn b(&mut self, a: f64, b: f64, c: f64, d: f64, e: f64, f: f64) { self.bezier_curve_to(a, b, c, d, e, f) } fn arc(&mut self, a: f64, b: f64, c: f64, d: f64, e: f64, f: bool) -> Result<(), CanvasError> { <$t>::arc(self, a, b, c, d, e, f) } fn arct(&mut self, a: f64, b: f64, c: f64, d: f64, e: f64) -> Result<(), CanvasError> { self.arc_to(a, b, c, d, e) } fn ell(&mut self, e: &Ellipse) -> Result<(), CanvasError> { self.ellipse(e) } fn rct(&mut self, a: f64, b: f64, c: f64, d: f64) { self.rect(a, b, c, d) } fn rr(&mut self, a: f64, b: f64, c: f64, d: f64, r: &[Radius]) -> Result<(), CanvasError> { self.round_rect(a, b, c, d, r) } } } }
pl!(Context2d); pl!(Path);
