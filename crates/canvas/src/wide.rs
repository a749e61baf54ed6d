//! One body, compiled twice: for every processor of its architecture, and for those with AVX2,
//! which is looked for at run time. Elsewhere (NEON) the first is all there is to win.

/// Makes a function of plain loops; what it calls must be `#[inline(always)]` to gain.
macro_rules! wide {
    ($($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $(#[$doc])*
        $vis fn $name($($arg: $ty),*) {
            #[inline(always)]
            fn body($($arg: $ty),*) $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2($($arg: $ty),*) {
                body($($arg),*)
            }

            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: only the feature that was just found is needed; the body is safe code.
                #[allow(unsafe_code, reason = "twice as fast on half of all pixels")]
                return unsafe { avx2($($arg),*) };
            }
            body($($arg),*)
        }
    )*};
}
pub(crate) use wide;
