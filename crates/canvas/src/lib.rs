//! HTML Canvas 2D on tiny-skia; knows no JavaScript and no files
