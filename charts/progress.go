//go:build !page

package charts

import (
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/janpfeifer/gonb/gonbui"
)

// Progress returns a simulate.Progress for the place where the program runs. In a notebook it is
// one line below the cell, updated in place at most twice a second, which ends as a summary without
// times. Elsewhere it is simulate.NewTerminal on the standard error.
func Progress() simulate.Progress {
	if !gonbui.IsNotebook {
		return simulate.NewTerminal(nil)
	}
	p := &notebookProgress{id: "dpb-progress-" + gonbui.UniqueId(), update: gonbui.UpdateHTML, now: time.Now}
	return p.report
}

type notebookProgress struct {
	id     string
	update func(id, html string)
	now    func() time.Time
	last   time.Time
}

// report updates the line.
func (p *notebookProgress) report(s simulate.Status) {
	now := p.now()
	if !s.Finished && now.Sub(p.last) < 500*time.Millisecond {
		return
	}
	p.last = now
	bar := ""
	if !s.Finished {
		bar = fmt.Sprintf(`<progress max="%d" value="%d" style="width:240px;margin-right:12px"></progress>`, max(s.Total, 1), s.Done)
	}
	said := s.String()
	if s.Finished { // a saved notebook tells what ran, not how fast this machine was
		s.RoundsPerSecond = 0
		said, _, _ = strings.Cut(s.String(), "  took ")
	}
	text := html.EscapeString(said)
	if s.Err != nil {
		text += "<br>" + html.EscapeString(s.Err.Error())
	}
	p.update(p.id, fmt.Sprintf(`<div class="dpb-progress" style="font:14px monospace">%s%s</div>`, bar, text))
}
