//! A model service without a model that plays a whole team: for the window's pictures, and to see a society at work
//! where there is no model. Writes its address, as the protocol of OpenAI has it, and stays.
//!
//!     cargo run -p agents --example team_stub
//!     pm model add team --protocol openai --model none --url ADDRESS
//!     pm society run "a calculator" --team dev-team --service team

#![allow(clippy::unwrap_used, reason = "it says what is wrong by ending")]

#[path = "team/script.rs"]
mod script;

use llm::Protocol;
use llm::stub::Stub;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let stub = Stub::scripted(0, script::play).await.unwrap();
    println!("{}", stub.base_url(Protocol::OpenAi));
    stub.forever().await;
}
