//! Keys as models name them (`Enter`, `Control+a`), as the DevTools protocol and WebDriver want them.

/// A key and what is held down with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// As `KeyboardEvent.key` has it.
    pub(crate) name: String,
    pub(crate) modifiers: Vec<Modifier>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Modifier {
    Alt,
    Control,
    Meta,
    Shift,
}

impl Modifier {
    fn named(name: &str) -> Option<Modifier> {
        match name.to_ascii_lowercase().as_str() {
            "alt" | "option" => Some(Modifier::Alt),
            "control" | "ctrl" => Some(Modifier::Control),
            "meta" | "cmd" | "command" | "super" => Some(Modifier::Meta),
            "shift" => Some(Modifier::Shift),
            _ => None,
        }
    }

    /// Of the DevTools protocol.
    pub(super) fn bit(self) -> u8 {
        match self {
            Modifier::Alt => 1,
            Modifier::Control => 2,
            Modifier::Meta => 4,
            Modifier::Shift => 8,
        }
    }

    /// Of WebDriver.
    pub(super) fn code_point(self) -> char {
        match self {
            Modifier::Alt => '\u{e00a}',
            Modifier::Control => '\u{e009}',
            Modifier::Meta => '\u{e03d}',
            Modifier::Shift => '\u{e008}',
        }
    }
}

/// Name, what else it is called, code of Windows, WebDriver's character, the text it types.
type Row = (&'static str, &'static str, u32, char, &'static str);

const KEYS: [Row; 17] = [
    ("Enter", "return", 13, '\u{e007}', "\r"),
    ("Tab", "", 9, '\u{e004}', ""),
    ("Escape", "esc", 27, '\u{e00c}', ""),
    ("Backspace", "", 8, '\u{e003}', ""),
    ("Delete", "del", 46, '\u{e017}', ""),
    ("Insert", "", 45, '\u{e016}', ""),
    (" ", "space", 32, ' ', " "),
    ("ArrowUp", "up", 38, '\u{e013}', ""),
    ("ArrowDown", "down", 40, '\u{e015}', ""),
    ("ArrowLeft", "left", 37, '\u{e012}', ""),
    ("ArrowRight", "right", 39, '\u{e014}', ""),
    ("Home", "", 36, '\u{e011}', ""),
    ("End", "", 35, '\u{e010}', ""),
    ("PageUp", "", 33, '\u{e00e}', ""),
    ("PageDown", "", 34, '\u{e00f}', ""),
    ("F2", "", 113, '\u{e032}', ""),
    ("F5", "", 116, '\u{e035}', ""),
];

impl Key {
    /// Nothing where there is no such key.
    pub(crate) fn named(name: &str) -> Option<Key> {
        // `+` itself is a key.
        let (modifiers, last) = match name.rsplit_once('+') {
            Some((modifiers, last)) if !modifiers.is_empty() && !last.is_empty() => {
                let modifiers = modifiers.split('+').map(|one| Modifier::named(one.trim()));
                (modifiers.collect::<Option<Vec<_>>>()?, last)
            }
            _ => (Vec::new(), name),
        };
        let known = KEYS.iter().find(|(key, other, ..)| {
            key.eq_ignore_ascii_case(last) || other.eq_ignore_ascii_case(last) && !other.is_empty()
        });
        let name = match known {
            Some((key, ..)) => (*key).to_owned(),
            None if last.chars().count() == 1 => last.to_owned(),
            None => return None,
        };
        Some(Key { name, modifiers })
    }

    fn row(&self) -> Option<&'static Row> {
        KEYS.iter().find(|(key, ..)| *key == self.name)
    }

    /// Code of Windows: of letters and digits it is that of the capital letter.
    pub(super) fn windows(&self) -> u32 {
        match self.row() {
            Some((_, _, code, ..)) => *code,
            None => self
                .name
                .chars()
                .next()
                .map_or(0, |one| u32::from(one.to_ascii_uppercase())),
        }
    }

    /// What it types; nothing with a modifier besides Shift.
    pub(super) fn text(&self) -> &str {
        match self.row() {
            _ if self.modifiers.iter().any(|one| *one != Modifier::Shift) => "",
            Some((.., text)) => text,
            None => &self.name,
        }
    }

    pub(super) fn code_point(&self) -> char {
        match self.row() {
            Some((_, _, _, point, _)) => *point,
            None => self.name.chars().next().unwrap_or(' '),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_by_their_names() {
        let key = Key::named("enter").unwrap();
        assert_eq!(
            (key.name.as_str(), key.windows(), key.text()),
            ("Enter", 13, "\r")
        );
        let key = Key::named("Ctrl+a").unwrap();
        assert_eq!((key.name.as_str(), key.windows(), key.text()), ("a", 65, ""));
        assert_eq!(key.modifiers, [Modifier::Control]);
        let key = Key::named("Control+Shift+Tab").unwrap();
        assert_eq!(key.modifiers, [Modifier::Control, Modifier::Shift]);
        assert_eq!(Key::named("+").unwrap().name, "+");
        assert_eq!(Key::named("语").unwrap().text(), "语");
        assert_eq!(Key::named("Space").unwrap().name, " ");
        for wrong in ["", "Enterr", "Hyper+a", "F99"] {
            assert_eq!(Key::named(wrong), None, "{wrong}");
        }
    }
}
