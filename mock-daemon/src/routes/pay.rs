//! `/tasks/pay`.
//!
//! Responsible for: its request, and which status each refusal has. Not for: deciding (`world::pay`). Serves control-plane
//! 2.10.

use crate::decode::{Fields, first_value};
use crate::world::State;
use crate::world::pay::PayError;
use crate::world::spend::Purpose;

use super::{Refusal, Result, Said};

/// `/tasks/pay`
pub(super) fn pay(state: &mut State, body: &[u8]) -> Result<Said> {
    let required = |_| Refusal::sentence(400, "A task_id and a decision (submit or reject) are required.");
    let body = first_value(body).map_err(required)?;
    let fields = Fields::of(&body, "").map_err(required)?;
    let id = fields.text("task_id").map_err(required)?;
    let decision = fields.text("decision").map_err(required)?;
    if id.trim().is_empty() {
        return Err(Refusal::sentence(400, "A task_id is required."));
    }
    let decided = match decision.as_str() {
        "submit" => state.submit(&id, Purpose::Agent, fields.any("accept"), fields.any("payload").is_some()),
        "reject" => state.reject_quote(&id),
        _ => {
            return Err(Refusal::sentence(400, "The decision must be submit or reject."));
        }
    };
    match decided {
        Ok(decision) => Ok(Said::Json(decision.json())),
        Err(PayError::Unknown(id)) => Err(Refusal::sentence(404, format!("There is no task {id}."))),
        Err(PayError::Conflict(why, _)) => Err(Refusal::sentence(409, why)),
        Err(PayError::Local(reason, sentence, decision)) => {
            let mut refusal = Refusal::sentence(422, sentence).because(reason);
            refusal.result = Some(decision.json());
            Err(refusal)
        }
        Err(PayError::Policy(reason, why)) => Err(Refusal::sentence(403, why).because(reason)),
        Err(PayError::Other(why)) => Err(Refusal::sentence(400, why)),
    }
}
