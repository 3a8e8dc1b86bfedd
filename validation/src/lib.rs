//! Published and native measurements: comparison and calibration
