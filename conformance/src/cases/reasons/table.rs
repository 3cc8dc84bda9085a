//! The codes of control-plane 5.1 to 5.7, as tables.

use crate::page::Tool;

/// 5.1: name, a tool whose call it refuses, status.
pub(super) const A2A_ERRORS: &[(&str, Tool, u16)] = &[
    ("TaskNotFoundError", Tool::GetTask, 404),
    ("InvalidParamsError", Tool::SendMessage, 400),
    ("UnsupportedOperationError", Tool::ReplyTask, 409),
    ("TaskNotCancelableError", Tool::CancelTask, 409),
    ("UnavailableError", Tool::ListAgents, 503),
    ("InternalError", Tool::WaitTask, 504),
    ("ContentTypeNotSupportedError", Tool::AgentCard, 400),
    ("VersionNotSupportedError", Tool::ListTasks, 400),
    ("ExtensionSupportRequiredError", Tool::SendMessage, 400),
    ("PushNotificationNotSupportedError", Tool::GetTask, 400),
];

/// 5.2: why the provider refused, with a task that is rejected.
pub(super) const POLICY: &[&str] = &[
    "not_accepting",
    "denied",
    "capability_not_public",
    "capability_not_served",
    "args_too_large",
    "quota_caller_per_min",
    "quota_caller_per_day",
    "quota_global_per_min",
    "max_inflight",
    "pending_full",
    "pending_expired",
    "operator_rejected",
    "sandbox_unavailable",
    "task_nonce_required",
];

/// 5.3: what became of the call: code, state, effect status, and whether a capability was called.
pub(super) const EXECUTION: &[(&str, &str, &str, bool)] = &[
    ("timeout", "FAILED", "UNVERIFIED", true),
    ("connection_lost", "FAILED", "UNVERIFIED", true),
    ("interrupted", "FAILED", "UNVERIFIED", true),
    ("unavailable", "REJECTED", "UNAVAILABLE", true),
    ("undeliverable", "FAILED", "UNAVAILABLE", true),
    ("no_response", "FAILED", "UNVERIFIED", true),
    ("provider_busy", "INPUT_REQUIRED", "PAYMENT_REQUIRED", true),
];

/// 5.4: code, what `x402.payment.error` says of it (empty: nothing), and with which status this node itself refuses a
/// payment for it (0: never).
pub(super) const PAYMENT: &[(&str, &str, u16)] = &[
    ("needs_operator_approval", "", 0),
    ("payment_extension_not_activated", "", 0),
    ("client_payload_unsupported", "SETTLEMENT_FAILED", 422),
    ("option_not_offered", "SETTLEMENT_FAILED", 422),
    ("rail_not_payable", "SETTLEMENT_FAILED", 422),
    ("no_pending_quote", "SETTLEMENT_FAILED", 409),
    ("quote_expired", "EXPIRED_PAYMENT", 409),
    ("binding_mismatch", "SETTLEMENT_FAILED", 422),
    ("payer_mismatch", "SETTLEMENT_FAILED", 409),
    ("payee_mismatch", "SETTLEMENT_FAILED", 400),
    ("insufficient_funds", "INSUFFICIENT_FUNDS", 0),
    ("invalid_signature", "INVALID_SIGNATURE", 0),
    ("expired_payment", "EXPIRED_PAYMENT", 0),
    ("expired", "EXPIRED_PAYMENT", 0),
    ("network_mismatch", "NETWORK_MISMATCH", 0),
    ("unsupported_scheme", "NETWORK_MISMATCH", 0),
    ("invalid_amount", "INVALID_AMOUNT", 0),
    ("duplicate_nonce", "DUPLICATE_NONCE", 0),
    ("duplicate_binding", "DUPLICATE_NONCE", 0),
    ("unknown_payer", "SETTLEMENT_FAILED", 0),
    ("settlement_failed", "SETTLEMENT_FAILED", 0),
    ("malformed_payment", "SETTLEMENT_FAILED", 0),
    ("invalid_payment_requirements", "SETTLEMENT_FAILED", 0),
    ("settlement_pending", "", 0),
];

/// 5.5: what the node's own limits say against a payment; the call holds the payment for the operator.
pub(super) const HOLDS: &[&str] =
    &["over_single_limit", "over_agent_daily_limit", "over_daily_limit", "payee_not_allowed", "payees_unreadable"];

/// 5.5: what nobody can lift; the call fails with 403.
pub(super) const FORBIDS: &[&str] = &["zero_amount", "unknown_purpose"];

/// 5.7: what became of received messages, counted since the start.
pub(super) const COUNTERS: &[&str] = &[
    "bad-outer",
    "bad-version",
    "unknown-suite",
    "wrong-recipient",
    "sealed-to-unknown-key",
    "decrypt-failed",
    "bad-inner",
    "unknown-critical-field",
    "to-mismatch",
    "bad-pad",
    "kel-too-large",
    "bad-kel",
    "from-mismatch",
    "expired",
    "from-future",
    "bad-lifetime",
    "bad-sig",
    "bad-key-state",
    "revoked-key",
    "rotation-grace-expired",
    "aid-mismatch",
    "bad-keyset",
    "no-usable-key",
    "open-failed",
    "bad-transport-encoding",
    "kel-fork",
    "not-accepting",
    "denied",
    "not-allowed",
    "bad-body",
    "ix-mismatch",
    "bad-taskdoc",
    "signer-mismatch",
    "ix-collision",
    "unknown-ix",
    "not-peer",
    "wrong-role",
    "unknown-type",
    "bad-status-state",
    "result-refused",
    "duplicate",
    "refused-replay",
    "refused-floor",
    "expired-while-waiting",
    "empty-ix",
    "public-cap-text",
    "input-after-terminal",
    "end-request-ignored",
    "cancel-from-provider",
    "end-accept-dropped",
    "pending-collision",
    "pending-followups-full",
    "keys-invalid",
    "keys-fork",
    "keys-rollback",
    "notice-task-not-found",
    "notice-sent",
    "notice-rate-limited",
    "resend-rate-limited",
    "t-store",
    "t-p2p-rate-limit",
    "t-unknown-ix",
    "t-replay-read",
];
