//! Why something is not allowed, by the codes of the contract.

use super::budget::Kind;
use base::{Args, Coded, args};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SocietyError {
    #[error("the role is not one of the agent's own")]
    NotChildRole,
    #[error("there is no such role")]
    UnknownRole,
    #[error("there is no such agent")]
    UnknownAgent,
    #[error("the agent belongs to another task, if there is one")]
    CrossTask,
    #[error("who asks has ended")]
    SenderTerminated,
    #[error("the agent is ending")]
    AgentTerminating,
    #[error("the brief lacks {missing:?}")]
    InvalidTaskBrief { missing: Vec<&'static str> },
    #[error("no {} left", which.as_str())]
    BudgetExceeded { which: Kind },
    #[error("the same happens again and again")]
    LoopDetected,
    #[error(
        "the person has not answered the plan: put it as an Integration_Plan, send it to the user, and wait"
    )]
    PlanNotConfirmed,
    #[error("{reason}")]
    InvalidArgs { reason: String },
}

impl Coded for SocietyError {
    fn code(&self) -> &'static str {
        match self {
            SocietyError::NotChildRole => "not_child_role",
            SocietyError::UnknownRole => "unknown_role",
            SocietyError::UnknownAgent => "unknown_agent",
            SocietyError::CrossTask => "cross_task_communication_denied",
            SocietyError::SenderTerminated => "sender_terminated",
            SocietyError::AgentTerminating => "agent_terminating",
            SocietyError::InvalidTaskBrief { .. } => "invalid_task_brief",
            SocietyError::BudgetExceeded { .. } => "budget_exceeded",
            SocietyError::LoopDetected => "loop_detected",
            SocietyError::PlanNotConfirmed => "plan_not_confirmed",
            SocietyError::InvalidArgs { .. } => "invalid_args",
        }
    }

    fn args(&self) -> Args {
        match self {
            SocietyError::InvalidTaskBrief { missing } => args! { missing: missing },
            SocietyError::InvalidArgs { reason } => args! { reason: reason },
            SocietyError::BudgetExceeded { which } => args! { which: which.as_str() },
            _ => Args::new(),
        }
    }
}
