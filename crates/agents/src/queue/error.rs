//! Why a queue cannot be used.

use base::{Args, Coded, args};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    #[error("a queue is at nats://HOST:PORT or tls://HOST:PORT")]
    Address,
    #[error("{name:?} is no name of a queue")]
    Name { name: String },
    #[error("{address}: {reason}")]
    Unreachable { address: String, reason: String },
    #[error("{address} does not let this program in")]
    Refused { address: String },
    #[error("the conversation has {bytes} bytes, more than {limit}")]
    TooLarge { bytes: usize, limit: usize },
    #[error("{times} workers took the question, and none has answered")]
    GivenUp { times: u32 },
    #[error("what a worker has answered is not understood: {reason}")]
    Answer { reason: String },
}

impl Coded for QueueError {
    fn code(&self) -> &'static str {
        match self {
            QueueError::Address => "queue_address_invalid",
            QueueError::Name { .. } => "queue_name_invalid",
            QueueError::Unreachable { .. } => "queue_unreachable",
            QueueError::Refused { .. } => "queue_refused",
            QueueError::TooLarge { .. } => "queue_question_too_large",
            QueueError::GivenUp { .. } => "queue_given_up",
            QueueError::Answer { .. } => "queue_answer_invalid",
        }
    }

    fn args(&self) -> Args {
        match self {
            QueueError::Address => Args::new(),
            QueueError::Unreachable { address, reason } => {
                args! { address: address, reason: reason }
            }
            QueueError::Name { name } => args! { name: name },
            QueueError::Refused { address } => args! { address: address },
            QueueError::TooLarge { bytes, limit } => args! { bytes: bytes, limit: limit },
            QueueError::GivenUp { times } => args! { times: times },
            QueueError::Answer { reason } => args! { reason: reason },
        }
    }
}
