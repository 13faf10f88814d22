package simulate

// Release is the version of the toolkit that this source is, or becomes with its next tag.
// [Version] says which revision of it runs.
const Release = "v0.1.0"
