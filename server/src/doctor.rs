//! placeholder of the slice
use crate::home::Home;
pub(crate) async fn examine(home: Home) -> (String, bool) {
    (format!("{}\n", home.data_dir().display()), false)
}
