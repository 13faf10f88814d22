package main

import (
	"io"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/audit/suite"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TestShow: a report is printed to its last line, and is an error if a fixture is not caught, a
// sound claim is excluded, or a run of a sound subject failed.
func TestShow(t *testing.T) {
	finding := func(name string, epsilon float64) audit.Finding {
		return audit.Finding{About: audit.About{Name: name, Claim: privacy.Budget{Epsilon: 1}}, Epsilon: epsilon}
	}
	for _, c := range []struct {
		broken, sound float64
		failure, last string
		wrong         bool
	}{
		{2, 0.4, "", "audit: 1 of 1 broken caught, 1 of 1 sound within their claim", false},
		{0.9, 0.4, "", "audit: 0 of 1 broken caught, 1 of 1 sound within their claim", true},
		{2, 1.5, "", "audit: 1 of 1 broken caught, 0 of 1 sound within their claim", true},
		{2, 0.4, "panic", "audit: 1 of 1 broken caught, 1 of 1 sound within their claim", true},
	} {
		r := suite.Report{
			Broken: audit.Report{Findings: []audit.Finding{finding("half the noise", c.broken)}},
			Sound:  audit.Report{Findings: []audit.Finding{finding("Laplace", c.sound)}},
		}
		r.Sound.Findings[0].Failure = c.failure
		var out strings.Builder
		if err := show(r, console{&out, io.Discard}); (err != nil) != c.wrong {
			t.Errorf("%+v: error %v", c, err)
		}
		text, rows := out.String(), 1
		if c.sound < 0.6 { // it is in the list of what is little seen, too
			rows = 2
		}
		if !strings.HasSuffix(text, c.last+"\n") || !strings.Contains(text, "half the noise") || strings.Count(text, "| Laplace") != rows {
			t.Errorf("%+v: it says\n%s", c, text)
		}
	}
}
