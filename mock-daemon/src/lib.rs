//! An anet daemon that is not there: a scriptable fake of the local control plane.
//!
//! A [`Daemon`] listens on a port of its own, guards it as the real one does, answers the 14 routes from a [`World`], writes
//! the data directory by which clients find it, and journals every request. A test steers it with [`Rule`]s: exact
//! bytes, answers that are held until released, faults of the connection.
//!
//! ```no_run
//! use std::time::{Duration, Instant};
//!
//! use anet_mock_daemon::{Daemon, On, Options, Reply, Response, Route, Rule, Times};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let daemon = Daemon::start(Options::default()).await?;
//! daemon.script(Rule {
//!     on: On::Route(Route::Balance),
//!     times: Times::Once,
//!     reply: Reply::Respond(Response::json(503, r#"{"error":"The hub cannot be reached."}"#)),
//! });
//! // Start the client with ANET_DATA_DIR set to `daemon.data_dir()`, let it ask for the balance, and look:
//! let soon = Instant::now() + Duration::from_secs(5);
//! assert!(daemon.journal().wait_until(soon, |entries| !entries.is_empty()).await);
//! assert!(daemon.journal().trespasses().is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! The way of a request: `front` reads and journals it, `guard` judges it, `script` may answer it or `fault` break it, then a
//! mock of wiremock's may answer it (`mocks`), and what is left the world answers, at once or later.
//!
//! wiremock is here in two ways. Whatever its matchers, responders, priorities and expectations can say may be mounted on
//! [`Daemon::mocks`] and answers before the world; and a [`World`] is a responder itself, for a `MockServer` of your own. The
//! public port is ours, since an HTTP mock can neither break a connection, nor hold an answer until a test lets it go, nor
//! notice that a caller hung up.
//!
//! ```no_run
//! use anet_mock_daemon::{Daemon, Options};
//! use wiremock::matchers::{body_partial_json, path};
//! use wiremock::{Mock, ResponseTemplate};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let daemon = Daemon::start(Options::default()).await?;
//! Mock::given(path("/tasks/get"))
//!     .and(body_partial_json(serde_json::json!({"task_id": "ix_lost"})))
//!     .respond_with(ResponseTemplate::new(504).set_body_json(serde_json::json!({"error": "The store is slow."})))
//!     .expect(1)
//!     .mount(daemon.mocks().await?)
//!     .await;
//! # Ok(())
//! # }
//! ```

mod answer;
pub mod bound;
mod cli;
pub mod clock;
mod console;
mod daemon;
pub mod decode;
pub mod encode;
mod fault;
mod front;
mod guard;
mod home;
mod http;
pub mod ids;
mod journal;
pub mod json;
mod mocks;
mod ping;
pub mod project;
mod read;
mod respond;
mod route;
mod routes;
pub mod scenario;
mod script;
pub mod world;

pub use answer::{Answer, Outcome, Resume, Waiting};
pub use cli::run;
pub use daemon::{Daemon, Options, Restart, StartError};
pub use fault::Fault;
pub use journal::{Answered, Entry, Journal, Trespass, Watcher};
pub use route::Route;
pub use script::{On, Reply, Response, Rule, Times};
pub use world::World;
