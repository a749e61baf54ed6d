//! The seven drawings of the design, from script to decoded PNG, and a few more pixels.

use super::{PIXELS, Picture, Script, check};

const RED: [u8; 4] = [255, 0, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];
const CLEAR: [u8; 4] = [0, 0, 0, 0];

fn draw(code: &str) -> Picture {
    let script = Script::new(PIXELS);
    script.eval::<()>(code);
    script.picture()
}

#[test]
fn rectangle() {
    let picture = draw(
        "const canvas = getCanvas(200, 200); const ctx = canvas.getContext('2d');
         ctx.fillStyle = 'red'; ctx.fillRect(10, 10, 100, 100);",
    );
    assert_eq!((picture.at(10, 10), picture.at(109, 109)), (RED, RED));
    assert_eq!((picture.at(9, 9), picture.at(110, 110)), (CLEAR, CLEAR));
    assert_eq!(picture.inked(), 10_000);
}

#[test]
fn circle() {
    let picture = draw(
        "const canvas = getCanvas(200, 200); const ctx = canvas.getContext('2d');
         ctx.fillStyle = 'blue'; ctx.beginPath(); ctx.arc(100, 100, 50, 0, Math.PI * 2); ctx.fill();",
    );
    assert_eq!((picture.at(100, 100), picture.at(52, 100)), (BLUE, BLUE));
    assert_eq!((picture.at(48, 100), picture.at(62, 62)), (CLEAR, CLEAR));
    let area = picture.inked() as f64;
    assert!((area - std::f64::consts::PI * 2500.0).abs() < 300.0, "{area}");
}

#[test]
fn words() {
    let picture = draw(
        "const canvas = getCanvas(300, 100); const ctx = canvas.getContext('2d');
         ctx.font = '20px Arial'; ctx.fillStyle = 'black'; ctx.fillText('Hello Canvas', 50, 50);",
    );
    let inked = picture.inked();
    assert!((300..3000).contains(&inked), "{inked}");
    let outside = (0..100)
        .flat_map(|y| (0..48).map(move |x| (x, y)))
        .filter(|&(x, y)| picture.at(x, y)[3] > 0);
    assert_eq!(outside.count(), 0);
}

#[test]
fn diagonal() {
    let picture = draw(
        "const canvas = getCanvas(200, 200); const ctx = canvas.getContext('2d');
         ctx.strokeStyle = 'green'; ctx.lineWidth = 2;
         ctx.beginPath(); ctx.moveTo(10, 10); ctx.lineTo(190, 190); ctx.stroke();",
    );
    assert_eq!(picture.at(100, 100), [0, 128, 0, 255]);
    assert_eq!(
        (picture.at(100, 90), picture.at(5, 5), picture.at(195, 195)),
        (CLEAR, CLEAR, CLEAR)
    );
}

#[test]
fn everything_together() {
    let picture = draw(
        "const canvas = getCanvas(400, 300); const ctx = canvas.getContext('2d');
         ctx.fillStyle = 'lightgray'; ctx.fillRect(0, 0, 400, 300);
         ctx.fillStyle = 'red'; ctx.fillRect(50, 50, 100, 100);
         ctx.fillStyle = 'blue'; ctx.beginPath(); ctx.arc(250, 150, 50, 0, Math.PI * 2); ctx.fill();
         ctx.fillStyle = 'black'; ctx.font = '16px Arial'; ctx.fillText('Complex Drawing', 100, 250);",
    );
    assert_eq!((picture.at(100, 100), picture.at(250, 150)), (RED, BLUE));
    assert_eq!(picture.at(0, 0), [211, 211, 211, 255]);
    let dark = (230..256)
        .flat_map(|y| (100..240).map(move |x| (x, y)))
        .filter(|&(x, y)| picture.at(x, y)[0] < 80);
    assert!(dark.count() > 100);
}

#[test]
fn colours_and_styles() {
    let picture = draw(
        "const canvas = getCanvas(200, 200); const ctx = canvas.getContext('2d');
         ctx.fillStyle = 'rgba(255, 0, 0, 0.5)'; ctx.fillRect(50, 50, 100, 100);
         ctx.strokeStyle = '#00FF00'; ctx.lineWidth = 3; ctx.strokeRect(10, 10, 180, 180);",
    );
    let [r, g, b, a] = picture.at(100, 100);
    assert!(
        (r, g, b) == (255, 0, 0) && (127..=128).contains(&a),
        "{r} {g} {b} {a}"
    );
    assert_eq!(
        (picture.at(100, 10), picture.at(100, 190)),
        ([0, 255, 0, 255], [0, 255, 0, 255])
    );
    assert_eq!(picture.at(100, 13), CLEAR);
}

#[test]
fn the_file_is_a_sensible_png() {
    let script = Script::new(PIXELS);
    script.eval::<()>(
        "const canvas = getCanvas(100, 100); const ctx = canvas.getContext('2d');
         ctx.fillStyle = 'white'; ctx.fillRect(0, 0, 100, 100);",
    );
    let (bytes, width, height) = script.host.export_png().unwrap().unwrap();
    assert_eq!((width, height), (100, 100));
    assert!((60..5000).contains(&bytes.len()), "{}", bytes.len());
    assert!(script.picture().rgba.iter().all(|&v| v == 255));
}

#[test]
fn pictures_patterns_gradients_and_clips_reach_the_pixels() {
    check(
        "const source = new OffscreenCanvas(4, 4);
         const s = source.getContext('2d');
         s.fillStyle = '#f00'; s.fillRect(0, 0, 2, 4); s.fillStyle = '#00f'; s.fillRect(2, 0, 2, 4);
         const ctx = context(40, 40);
         ctx.imageSmoothingEnabled = false;
         ctx.drawImage(source, 0, 0);
         ctx.drawImage(source, 8, 0, 8, 8);
         ctx.drawImage(source, 2, 0, 2, 4, 20, 0, 10, 10);
         equal(pixel(ctx, 1, 1), [255, 0, 0, 255]); equal(pixel(ctx, 3, 1), [0, 0, 255, 255]);
         equal(pixel(ctx, 11, 1), [255, 0, 0, 255]); equal(pixel(ctx, 15, 7), [0, 0, 255, 255]);
         equal(pixel(ctx, 25, 5), [0, 0, 255, 255]); equal(pixel(ctx, 31, 5), [0, 0, 0, 0]);
         ctx.drawImage(ctx.canvas, 0, 0, 4, 4, 0, 20, 4, 4);
         equal(pixel(ctx, 1, 21), [255, 0, 0, 255], 'onto itself');

         const p = context(16, 16);
         p.fillStyle = p.createPattern(source, null);
         p.fillRect(0, 0, 16, 16);
         equal(pixel(p, 9, 9), [255, 0, 0, 255]); equal(pixel(p, 11, 9), [0, 0, 255, 255]);

         const g = context(100, 10);
         const gradient = g.createLinearGradient(0, 0, 100, 0);
         gradient.addColorStop(0, 'red'); gradient.addColorStop(1, '#00f');
         g.fillStyle = gradient; g.fillRect(0, 0, 100, 10);
         const [r0, , b0] = pixel(g, 1, 5), [r1, , b1] = pixel(g, 98, 5);
         if (r0 < 240 || b0 > 15 || r1 > 15 || b1 < 240) throw new Error('gradient');

         const c = context(20, 20);
         const path = new Path2D('M0 0 H10 V20 H0 Z');
         c.clip(path); c.fillRect(0, 0, 20, 20);
         equal([pixel(c, 5, 5)[3], pixel(c, 15, 5)[3]], [255, 0]);",
    );
}

#[test]
fn pixels_go_in_and_come_out() {
    check(
        "const ctx = context(10, 10);
         const image = ctx.createImageData(4, -2);
         equal([image.width, image.height, image.data.length], [4, 2, 32]);
         image.data.set([10, 20, 30, 255]);
         ctx.putImageData(image, 2, 3);
         equal(pixel(ctx, 2, 3), [10, 20, 30, 255]);
         equal(pixel(ctx, 3, 3), [0, 0, 0, 0]);
         for (let i = 0; i < 32; i++) image.data[i] = 255;
         ctx.putImageData(image, 0, 0, 1, 1, 2, 1);
         equal([pixel(ctx, 0, 0)[3], pixel(ctx, 1, 1)[3], pixel(ctx, 2, 1)[3], pixel(ctx, 3, 1)[3]], [0, 255, 255, 0]);
         const mirrored = ctx.getImageData(3, 4, -1, -1);
         equal(Array.from(mirrored.data), [10, 20, 30, 255]);
         const buffer = new ArrayBuffer(64);
         const part = new Uint8ClampedArray(buffer, 32, 8).fill(200);
         ctx.putImageData(new ImageData(part, 2), 5, 5);
         equal(pixel(ctx, 6, 5), [200, 200, 200, 200]);
         equal(ctx.createImageData(image).data.every((v) => v === 0), true);",
    );
}
