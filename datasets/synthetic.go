package datasets

// SyntheticCaption marks what was made from synthetic data.
const SyntheticCaption = "synthetic stand-in, not MovieLens"
