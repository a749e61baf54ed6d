//! What the shell knows about the server and what the person wants of it. The tray shows it, the
//! page is told, the parts of the shell wake each other by it.

use base::Lang;
use tokio::sync::{Notify, watch};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerState {
    Starting,
    Running {
        address: Option<String>,
    },
    /// It ended; the next start is in so many seconds.
    Waiting {
        seconds: u64,
    },
    Stopping,
    /// The person stopped it: it stays so until she starts it.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Running,
    Stopped,
}

/// What the tray leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// The last pictures, newest first.
    pub pictures: Vec<Picture>,
    /// Names of the favourite tools.
    pub tools: Vec<String>,
    /// There is a channel of newer versions.
    pub updates: bool,
}

/// A picture that was drawn lately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub id: String,
    /// When, and the beginning of what drew it.
    pub label: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub state: ServerState,
    /// The language that the person chose, as far as it is known.
    pub lang: Lang,
    pub offers: Offers,
}

/// One for the program.
pub struct Server {
    pub known: watch::Sender<Known>,
    pub wanted: watch::Sender<Wanted>,
    /// Somebody has a reason to believe that `known` is out of date.
    pub look: Notify,
    /// There may be other pictures or favourites.
    pub offers: Notify,
}

impl Server {
    pub fn new(lang: Lang) -> Self {
        let known = Known {
            state: ServerState::Starting,
            lang,
            offers: Offers::default(),
        };
        Server {
            known: watch::Sender::new(known),
            wanted: watch::Sender::new(Wanted::Running),
            look: Notify::new(),
            offers: Notify::new(),
        }
    }

    pub fn tell(&self, state: ServerState) {
        self.known
            .send_if_modified(|known| change(&mut known.state, state));
    }

    pub fn tell_language(&self, lang: Lang) {
        self.known.send_if_modified(|known| change(&mut known.lang, lang));
    }

    pub fn tell_offers(&self, offers: Offers) {
        self.known
            .send_if_modified(|known| change(&mut known.offers, offers));
    }

    /// The tray's one entry for both.
    pub fn start_or_stop(&self) {
        self.wanted.send_modify(|wanted| {
            *wanted = match wanted {
                Wanted::Running => Wanted::Stopped,
                Wanted::Stopped => Wanted::Running,
            }
        });
    }

    pub fn lang(&self) -> Lang {
        self.known.borrow().lang
    }

    /// Where MCP clients connect.
    pub fn mcp_address(&self) -> Option<String> {
        match &self.known.borrow().state {
            ServerState::Running {
                address: Some(address),
            } => Some(format!("{address}/mcp")),
            _ => None,
        }
    }
}

fn change<T: PartialEq>(place: &mut T, value: T) -> bool {
    let changed = *place != value;
    *place = value;
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_wakes_anybody() {
        let server = Server::new(Lang::En);
        let mut seen = server.known.subscribe();
        server.tell(ServerState::Starting);
        server.tell_language(Lang::En);
        assert!(!seen.has_changed().unwrap());
        server.tell_language(Lang::ZhCn);
        assert_eq!(seen.borrow_and_update().lang, Lang::ZhCn);
        server.tell(ServerState::Stopped);
        assert!(seen.has_changed().unwrap());
    }

    #[test]
    fn the_mcp_address_is_that_of_a_running_server() {
        let server = Server::new(Lang::En);
        assert_eq!(server.mcp_address(), None);
        server.tell(ServerState::Running {
            address: Some("http://127.0.0.1:5621".to_owned()),
        });
        assert_eq!(server.mcp_address().as_deref(), Some("http://127.0.0.1:5621/mcp"));
        server.start_or_stop();
        assert_eq!(*server.wanted.borrow(), Wanted::Stopped);
        server.start_or_stop();
        assert_eq!(*server.wanted.borrow(), Wanted::Running);
    }
}
