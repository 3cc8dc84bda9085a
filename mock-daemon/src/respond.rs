//! The world as a responder of wiremock's.
//!
//! Responsible for: answering the 14 routes from a mock on anybody's own `MockServer`, beside mocks for whatever else a test
//! needs there. Not for: what only a [`Daemon`](crate::Daemon) has: guards, data directory, journal, script, faults, waiting.

use wiremock::{Request, Respond, ResponseTemplate};

use crate::World;
use crate::answer::{Answer, Outcome};
use crate::http::SECURITY_HEADERS;
use crate::route::Route;

/// Answers as the routes do, whoever asks: which method, host and token a request must have is for the mock's matchers to
/// say. A responder cannot wait for what happens next, so a wait ends at once, as one whose time is over.
///
/// ```
/// use anet_mock_daemon::World;
/// use wiremock::matchers::{bearer_token, method};
/// use wiremock::{Mock, MockServer};
///
/// # async fn example() {
/// let server = MockServer::start().await;
/// let world = World::default();
/// Mock::given(method("POST")).and(bearer_token("secret")).respond_with(world.clone()).mount(&server).await;
/// # }
/// ```
impl Respond for World {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let answer = match Route::from_path(request.url.path()) {
            None => Answer::text(404, "404 page not found\n"),
            Some(route) => match self.answer(route, &request.body) {
                Outcome::Now(answer) => answer,
                Outcome::Later(waiting) => (waiting.resume)(true).unwrap_or_else(Answer::interrupted),
            },
        };
        let template = ResponseTemplate::new(answer.status).set_body_raw(answer.body, answer.content_type);
        SECURITY_HEADERS.into_iter().fold(template, |template, (name, value)| template.insert_header(name, value))
    }
}
