//go:build page

package simulate

// restore does nothing: a page has no files, and its program is short without what writes them.
func (j *job) restore() error { return nil }
