package charts

import (
	"strings"
	"testing"
	"time"

	"github.com/dpbandits/dpbandits/pkg/simulate"
)

func TestNotebookProgress(t *testing.T) {
	now := time.Unix(0, 0)
	var got []string
	p := &notebookProgress{id: "p", now: func() time.Time { return now }, update: func(id, html string) {
		if id != "p" {
			t.Errorf("id %q", id)
		}
		got = append(got, html)
	}}
	for i := range 101 { // ten seconds, ten reports a second
		p.report(simulate.Status{Done: int64(i), Total: 100, Trials: 10, Left: time.Second, RoundsPerSecond: 4e4, Elapsed: 3 * time.Second, Finished: i == 100})
		now = now.Add(100 * time.Millisecond)
	}
	if len(got) != 21 {
		t.Errorf("%d updates in ten seconds", len(got))
	}
	last := got[len(got)-1]
	if strings.Contains(last, "<progress") || !strings.Contains(last, "100%") || !strings.Contains(got[3], "<progress") {
		t.Errorf("it ends with %s", last)
	}
	if strings.Contains(last, "took") || strings.Contains(last, "rounds/s") || !strings.Contains(got[3], "rounds/s") {
		t.Errorf("what is saved depends on the machine: %s", last)
	}
}
