//! An anet daemon that is not there: a scriptable fake of the local control plane.

pub mod answer;
pub mod route;
