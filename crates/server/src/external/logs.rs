//! Logs of servers, in the form of `run.log` and read like it: by the subject `server:NAME`.

use super::Externals;
use base::Failure;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use toolbox::LogFile;
use toolbox::run_log::{self, Found, Search, Wanted, Window};

impl Externals {
    pub(crate) async fn log_window(
        &self,
        name: &str,
        wanted: Wanted,
        unlike: Option<String>,
        ending: &CancellationToken,
    ) -> Result<Window, Failure> {
        self.log_file(name)?.window(wanted, unlike, ending).await
    }

    pub(crate) async fn log_find(&self, name: &str, search: Search) -> Result<Found, Failure> {
        self.log_file(name)?.find(search).await
    }

    pub(crate) async fn log_page(
        &self,
        name: &str,
        query: &Map<String, Value>,
    ) -> Result<Vec<String>, Failure> {
        self.log_file(name)?.page(query).await
    }

    fn log_file(&self, name: &str) -> Result<LogFile<'_>, Failure> {
        let server = self.get(name)?;
        let path = self.place(&server.name).join(run_log::FILE);
        Ok(LogFile::new(&self.logs, &server.name, path))
    }
}
