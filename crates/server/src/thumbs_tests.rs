use super::*;
use proptest::prelude::*;
use std::io::Cursor;

/// A picture of any kind that PNG knows but in passes, which the encoder does not write.
#[derive(Clone, Debug)]
struct Picture {
    width: u32,
    height: u32,
    color: ColorType,
    depth: BitDepth,
    data: Vec<u8>,
    palette: Vec<u8>,
    transparent: Vec<u8>,
}

const KINDS: &[(ColorType, BitDepth)] = &[
    (ColorType::Grayscale, BitDepth::One),
    (ColorType::Grayscale, BitDepth::Four),
    (ColorType::Grayscale, BitDepth::Eight),
    (ColorType::Grayscale, BitDepth::Sixteen),
    (ColorType::GrayscaleAlpha, BitDepth::Eight),
    (ColorType::GrayscaleAlpha, BitDepth::Sixteen),
    (ColorType::Indexed, BitDepth::Two),
    (ColorType::Indexed, BitDepth::Eight),
    (ColorType::Rgb, BitDepth::Eight),
    (ColorType::Rgb, BitDepth::Sixteen),
    (ColorType::Rgba, BitDepth::Eight),
    (ColorType::Rgba, BitDepth::Sixteen),
];

/// Repeats of a few random bytes: cheap to make, and no two columns alike.
fn picture() -> impl Strategy<Value = Picture> {
    let bytes = prop::collection::vec(any::<u8>(), 97..98);
    (1_u32..=300, 1_u32..=300, prop::sample::select(KINDS), bytes).prop_map(
        |(width, height, (color, depth), bytes)| {
            let bits = width as usize
                * depth as usize
                * if color == ColorType::Indexed {
                    1
                } else {
                    samples(color)
                };
            let data = bytes
                .iter()
                .copied()
                .cycle()
                .take(bits.div_ceil(8) * height as usize)
                .collect();
            Picture {
                width,
                height,
                color,
                depth,
                data,
                palette: bytes.iter().copied().cycle().take(3 * 256).collect(),
                transparent: bytes.iter().rev().copied().cycle().take(200).collect(),
            }
        },
    )
}

impl Picture {
    fn png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(self.color);
        encoder.set_depth(self.depth);
        if self.color == ColorType::Indexed {
            let colors = 1 << (self.depth as usize);
            encoder.set_palette(self.palette[..3 * colors].to_vec());
            encoder.set_trns(self.transparent[..colors.min(200)].to_vec());
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&self.data).unwrap();
        writer.finish().unwrap();
        bytes
    }
}

struct Pixels {
    width: u32,
    height: u32,
    rgba: Vec<[u8; 4]>,
}

fn decoded(bytes: &[u8]) -> Pixels {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let mut reader = decoder.read_info().unwrap();
    let mut data = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut data).unwrap();
    let rgba = data.chunks_exact(samples(info.color_type)).map(rgba).collect();
    Pixels {
        width: info.width,
        height: info.height,
        rgba,
    }
}

/// Average opacity, and average colour weighted by it.
fn average(pixels: &Pixels) -> [f64; 4] {
    let mut sums = [0.0; 4];
    for pixel in &pixels.rgba {
        let alpha = f64::from(pixel[3]);
        for (sum, value) in sums.iter_mut().zip(&pixel[..3]) {
            *sum += f64::from(*value) * alpha;
        }
        sums[3] += alpha;
    }
    let color = |sum: f64| if sums[3] > 0.0 { sum / sums[3] } else { 0.0 };
    [
        color(sums[0]),
        color(sums[1]),
        color(sums[2]),
        sums[3] / pixels.rgba.len() as f64,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, max_shrink_iters: 50, ..ProptestConfig::default() })]
    #[test]
    fn any_picture_becomes_a_small_one_of_the_same_colours(picture in picture()) {
        let bytes = picture.png();
        let (large, small) = (decoded(&bytes), decoded(&copy(Cursor::new(&bytes)).unwrap()));
        prop_assert!(small.width <= large.width.min(WIDTH) && small.height <= large.height.min(HEIGHT));
        let scale = (320.0 / f64::from(large.width)).min(240.0 / f64::from(large.height)).min(1.0);
        prop_assert!((f64::from(small.width) - f64::from(large.width) * scale).abs() <= 1.0);
        prop_assert!((f64::from(small.height) - f64::from(large.height) * scale).abs() <= 1.0);
        if scale == 1.0 {
            let shown = |pixels: &Pixels| -> Vec<[u8; 4]> {
                pixels.rgba.iter().map(|pixel| if pixel[3] == 0 { [0; 4] } else { *pixel }).collect()
            };
            prop_assert_eq!(shown(&small), shown(&large), "nothing to do, nothing changed");
        }
        for (want, got) in average(&large).into_iter().zip(average(&small)) {
            prop_assert!((want - got).abs() <= 1.5, "{:?} {:?}", average(&large), average(&small));
        }
    }

    #[test]
    fn rubbish_is_an_error(mut bytes in prop::collection::vec(any::<u8>(), 0..200), whole in any::<bool>()) {
        if whole {
            bytes.splice(0..0, *b"\x89PNG\r\n\x1a\n");
        }
        prop_assert!(copy(Cursor::new(&bytes)).is_err());
    }
}

#[test]
fn large_pictures_shrink_evenly_and_colours_of_clear_pixels_do_not_show() {
    let (width, height) = (1000, 700);
    let mut data = Vec::new();
    for y in 0..height {
        for x in 0..width {
            // Left half opaque blue; right half stripes of opaque red and clear green.
            data.extend(match (x < width / 2, y % 2 == 0) {
                (true, _) => [0, 0, 255, 255],
                (false, true) => [255, 0, 0, 255],
                (false, false) => [0, 255, 0, 0],
            });
        }
    }
    let picture = Picture {
        width,
        height,
        color: ColorType::Rgba,
        depth: BitDepth::Eight,
        data,
        palette: Vec::new(),
        transparent: Vec::new(),
    };
    let small = decoded(&copy(Cursor::new(picture.png())).unwrap());
    assert_eq!((small.width, small.height), (320, 224));
    for row in small.rgba.chunks_exact(320) {
        assert_eq!(row[10], [0, 0, 255, 255]);
        let [red, green, blue, alpha] = row[310];
        assert_eq!((red, green, blue), (255, 0, 0), "green is not to be seen");
        // Of 3.125 rows, 1.125 to 2 are striped.
        assert!((91..=164).contains(&alpha), "{alpha}");
    }
}

#[test]
fn what_is_cut_or_too_large_is_refused() {
    let picture = Picture {
        width: 50,
        height: 50,
        color: ColorType::Rgb,
        depth: BitDepth::Eight,
        data: (0..50 * 50 * 3).map(|n| (n * 31 % 251) as u8).collect(),
        palette: Vec::new(),
        transparent: Vec::new(),
    };
    let whole = picture.png();
    for cut in [10, 30, whole.len() / 2] {
        assert!(matches!(
            copy(Cursor::new(&whole[..cut])),
            Err(ThumbError::Decode(_))
        ));
    }
    // A header that promises a picture of 16 gigapixels.
    let mut huge = Vec::new();
    let mut encoder = png::Encoder::new(&mut huge, 131_072, 131_072);
    encoder.set_depth(BitDepth::One);
    drop(encoder.write_header().unwrap());
    let refused = copy(Cursor::new(&huge));
    assert!(matches!(refused, Err(ThumbError::TooLarge { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_copy_is_made_once_and_leaves_with_its_picture() {
    let dir = tempfile::tempdir().unwrap();
    let home = DataHome::at(dir.path().join("home")).unwrap().prepare().unwrap();
    let store = Store::open(&home, 100).unwrap();
    let actor = store::Actor {
        kind: "person".into(),
        name: "test".into(),
    };
    let picture = Picture {
        width: 400,
        height: 400,
        color: ColorType::Grayscale,
        depth: BitDepth::Eight,
        data: vec![128; 400 * 400],
        palette: Vec::new(),
        transparent: Vec::new(),
    };
    let new = store::NewArtifact {
        title: String::new(),
        source: String::new(),
        actor,
        code: String::new(),
        width: 400,
        height: 400,
        png: picture.png(),
    };
    let kept = store.add_picture(new).await.unwrap();
    let thumbs = Thumbs::default();
    let path = store.artifact_path(&kept.id);
    let (a, b) = tokio::join!(
        thumbs.get(&home, &kept.id, &path),
        thumbs.get(&home, &kept.id, &path)
    );
    assert_eq!(a.unwrap(), b.unwrap());
    let made = std::fs::metadata(file(&home, &kept.id))
        .unwrap()
        .modified()
        .unwrap();
    thumbs.get(&home, &kept.id, &path).await.unwrap();
    assert_eq!(
        std::fs::metadata(file(&home, &kept.id))
            .unwrap()
            .modified()
            .unwrap(),
        made
    );

    let stray = file(&home, "11111111-2222-4333-8444-555555555555");
    std::fs::copy(file(&home, &kept.id), &stray).unwrap();
    assert_eq!(tidy(&home, &store).await.unwrap(), 1);
    assert!(!stray.exists() && file(&home, &kept.id).exists());
    for _ in 0..2 {
        thumbs.forget(&home, &kept.id).await;
    }
    assert!(!file(&home, &kept.id).exists());
    let gone = thumbs
        .get(&home, "gone", &home.artifacts().join("gone.png"))
        .await;
    assert_eq!(gone.unwrap_err().code, "artifact_not_found");
}

#[tokio::test]
async fn a_copy_that_is_being_made_is_forgotten_when_it_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let home = DataHome::at(dir.path().join("home")).unwrap().prepare().unwrap();
    let thumbs = Thumbs::default();
    // Its picture was opened before it was removed: the copy is still going to be written.
    let making = thumbs.places[place("a")].clone().lock_owned().await;
    let mut forgetting = Box::pin(thumbs.forget(&home, "a"));
    assert!(futures_util::poll!(&mut forgetting).is_pending());
    atomic::write(&file(&home, "a"), b"late", Access::Private).unwrap();
    drop(making);
    forgetting.await;
    assert!(!file(&home, "a").exists());
}
