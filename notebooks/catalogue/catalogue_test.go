package catalogue

import "testing"

// Every figure makes a sweep at every scale.
func TestSweep(t *testing.T) {
	list := Sweep()
	if len(list) < 10 {
		t.Errorf("%d experiments, want at least 10", len(list))
	}
	for _, e := range list {
		for _, scale := range []string{"scale=0", "scale=1", "scale=2"} {
			if _, err := list.Parse([]string{e.Name, scale}); err != nil {
				t.Error(err)
			}
		}
	}
}
