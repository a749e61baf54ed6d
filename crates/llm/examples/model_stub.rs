//! `cargo run -p llm --example model_stub [PORT]`: a service without a model, for the
//! browser tests and for trying the product.

use llm::Protocol;
use llm::stub::Stub;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let port = std::env::args()
        .nth(1)
        .and_then(|port| port.parse().ok())
        .unwrap_or(0);
    let stub = Stub::start(port, Vec::new(), None).await?;
    println!("{}", stub.base_url(Protocol::OpenAi));
    stub.forever().await;
    Ok(())
}
