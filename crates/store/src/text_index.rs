//! A full-text index in memory (SQLite FTS5), for what lies in plain files: derived, never stored,
//! so it cannot be out of date after a start.
//!
//! Words of scripts without spaces between them are indexed a character each and looked for as a
//! phrase. So `审查` is found inside `代码审查助手`, a single character is, too, and nothing has to know
//! where a word ends.

use crate::error::StoreError;
use rusqlite::{Connection, params};

/// Name, description and text of what is found, in this order of weight.
#[derive(Clone, Copy, Debug)]
pub struct Document<'d> {
    pub title: &'d str,
    pub summary: &'d str,
    pub body: &'d str,
}

/// Blocking; a few milliseconds for ten thousand documents.
pub struct TextIndex {
    connection: Connection,
}

impl TextIndex {
    pub fn new() -> Result<Self, StoreError> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(
            "CREATE VIRTUAL TABLE documents USING fts5(
                key UNINDEXED, title, summary, body, tokenize = 'unicode61', detail = full)",
        )?;
        Ok(TextIndex { connection })
    }

    /// Replaces and removes in one transaction.
    pub fn update<'d>(
        &mut self,
        removed: impl Iterator<Item = &'d str>,
        added: impl Iterator<Item = (&'d str, Document<'d>)>,
    ) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        {
            let mut remove = transaction.prepare_cached("DELETE FROM documents WHERE key = ?1")?;
            for key in removed {
                remove.execute([key])?;
            }
            let mut add = transaction.prepare_cached(
                "INSERT INTO documents (key, title, summary, body) VALUES (?1, ?2, ?3, ?4)",
            )?;
            for (key, document) in added {
                remove.execute([key])?;
                add.execute(params![
                    key,
                    spaced(document.title),
                    spaced(document.summary),
                    spaced(document.body)
                ])?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// Keys of the documents with every word of the query, best first. The last word may be the
    /// beginning of one. Nothing is found by a query without letters.
    pub fn search(&self, query: &str, limit: u32) -> Result<Vec<String>, StoreError> {
        let Some(expression) = expression(query) else {
            return Ok(Vec::new());
        };
        let mut statement = self.connection.prepare_cached(
            "SELECT key FROM documents WHERE documents MATCH ?1
             ORDER BY bm25(documents, 0, 10, 4, 1), key LIMIT ?2",
        )?;
        let keys = statement.query_map(params![expression, limit], |row| row.get(0))?;
        Ok(keys.collect::<Result<_, _>>()?)
    }
}

/// FTS5's own syntax: each word a quoted phrase, all of them wanted.
fn expression(query: &str) -> Option<String> {
    let phrases: Vec<String> = query
        .split_whitespace()
        .map(|word| spaced(word).replace('"', " "))
        .filter(|phrase| phrase.chars().any(char::is_alphanumeric))
        .map(|phrase| format!("\"{}\"", phrase.trim()))
        .collect();
    match phrases.is_empty() {
        true => None,
        false => Some(format!("{} *", phrases.join(" "))),
    }
}

/// Spaces around each character of scripts that have none between words.
fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        match unspaced(c) {
            true => spaced.extend([' ', c, ' ']),
            false => spaced.push(c),
        }
    }
    spaced
}

/// Han with its extensions, kana, Thai, Lao, Khmer, Burmese. Korean is written with spaces, but its
/// words carry endings: syllables are taken one by one, too.
fn unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> TextIndex {
        let mut index = TextIndex::new().unwrap();
        let documents = [
            (
                "review",
                "代码审查助手",
                "审查 Rust 代码",
                "请审查下面的{{语言}}代码",
            ),
            (
                "poem",
                "Poem",
                "writes a poem",
                "Write a poem about programming and café life",
            ),
            (
                "mail",
                "Mail",
                "answers mail",
                "Translate the review of 审计 to English",
            ),
        ];
        let added = documents
            .iter()
            .map(|(key, title, summary, body)| (*key, Document { title, summary, body }));
        index.update(std::iter::empty(), added).unwrap();
        index
    }

    #[test]
    fn words_and_characters_are_found_and_the_title_weighs_most() {
        let index = index();
        for (query, expected) in [
            ("审查", &["review"][..]),
            ("审", &["review", "mail"]),
            ("代码 rust", &["review"]),
            ("program", &["poem"]),
            ("CAFE", &["poem"]),
            ("poem mail", &[]),
            ("查审", &[]),
            ("语言", &["review"]),
            ("review", &["mail"]),
        ] {
            assert_eq!(index.search(query, 10).unwrap(), expected, "{query}");
        }
    }

    #[test]
    fn no_query_is_a_syntax_error() {
        let index = index();
        for query in [
            "",
            "\"",
            "*",
            "a AND",
            "NOT",
            "title:poem",
            "a*b",
            "(",
            "^",
            "{{x}}",
            "-",
            "\0",
            "poem\" OR \"x",
        ] {
            index
                .search(query, 10)
                .unwrap_or_else(|error| panic!("{query:?}: {error}"));
        }
    }

    #[test]
    fn what_was_replaced_or_removed_is_not_found() {
        let mut index = index();
        let document = Document {
            title: "Song",
            summary: "",
            body: "",
        };
        index
            .update(["mail"].into_iter(), [("poem", document)].into_iter())
            .unwrap();
        assert_eq!(index.search("song", 10).unwrap(), ["poem"]);
        assert!(index.search("programming", 10).unwrap().is_empty());
        assert!(index.search("english", 10).unwrap().is_empty());
    }
}
