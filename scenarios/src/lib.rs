//! Scenario files: loading, checking, building, running, reporting
