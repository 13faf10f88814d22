package simulate

import (
	"fmt"
	"io"
	"os"
	"time"
)

// Status says how far a run is. A round is one learner playing one round, so three policies over a
// horizon of 1000 are 3000 rounds a trial.
type Status struct {
	Done, Total     int64         // rounds, restored trials included
	TrialsDone      int           // trials that finished or were restored from a checkpoint
	TrialsFailed    int           // trials that ended with an error
	Trials          int           // number of trials of all experiments in the run
	Unsaved         int           // finished trials that could not be written to their checkpoint
	Err             error         // why they were not written, or go into no cache; nil if all is well
	RoundsPerSecond float64       // of this run, without restored trials; 0 until known
	Elapsed         time.Duration // since the run started
	Left            time.Duration // estimate at the present rate; negative if unknown
	Finished        bool          // this is the run's last report, whether or not all was done
}

// Progress is told how far a run is: at its start, then a few times a second, and at its end, when
// Finished is set. Calls never overlap. A slow one delays later ones, not the trials.
type Progress func(Status)

// DefaultProgress is the Progress of runs that name none; nil means that they are silent. It is set
// before the first run.
var DefaultProgress Progress

// terminal is the Progress of NewTerminal.
type terminal struct {
	w       io.Writer
	redraw  bool
	width   int           // of the line on screen
	nextPct int           // next percentage to write at when not redrawing
	last    time.Duration // Elapsed of the line written last
	trouble bool          // the last report had an Err
}

// NewTerminal returns a Progress that writes one line of text to w; nil means the standard error.
// On a terminal the line is redrawn in place; elsewhere (a log, a pipe) a new line is written at
// each 10% and at least once a minute. If a checkpoint cannot be written, that gets a line of its
// own at once.
func NewTerminal(w io.Writer) Progress {
	if w == nil {
		w = os.Stderr
	}
	t := &terminal{w: w}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		t.redraw = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return t.report
}

// report writes or redraws the line.
func (t *terminal) report(s Status) {
	if trouble := s.Err != nil; trouble != t.trouble {
		t.trouble = trouble
		said := "checkpoint: all finished trials are saved again"
		if trouble {
			said = s.Err.Error()
			if s.Unsaved > 0 {
				said += " (the run goes on, and tries again)"
			}
		}
		if t.redraw && t.width > 0 {
			fmt.Fprintln(t.w)
			t.width = 0
		}
		fmt.Fprintln(t.w, said)
	}
	line := s.String()
	if t.redraw {
		fmt.Fprintf(t.w, "\r%-*s", t.width, line)
		t.width = len(line)
		if s.Finished {
			fmt.Fprintln(t.w)
			t.width = 0
		}
		return
	}
	pct := s.percent()
	if s.Finished || pct >= t.nextPct || s.Elapsed-t.last >= time.Minute {
		fmt.Fprintln(t.w, line)
		t.nextPct, t.last = pct/10*10+10, s.Elapsed
	}
	if s.Finished {
		t.nextPct, t.last, t.trouble = 0, 0, false
	}
}

// String returns the line that a terminal shows, in plain ASCII.
func (s Status) String() string {
	line := fmt.Sprintf("%3d%%  trial %d of %d", s.percent(), s.TrialsDone, s.Trials)
	if s.TrialsFailed > 0 {
		line += fmt.Sprintf(", %d failed", s.TrialsFailed)
	}
	if s.Unsaved > 0 {
		line += fmt.Sprintf(", %d not saved", s.Unsaved)
	}
	if s.RoundsPerSecond > 0 {
		line += fmt.Sprintf("  %.3g rounds/s", s.RoundsPerSecond)
	}
	if s.Finished {
		return line + "  took " + short(s.Elapsed)
	}
	if s.Left >= 0 {
		line += "  " + short(s.Left) + " left"
	}
	return line
}

func (s Status) percent() int {
	if s.Total == 0 {
		return 0
	}
	return int(100 * float64(s.Done) / float64(s.Total))
}

func short(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
