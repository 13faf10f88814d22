package simulate

import (
	"cmp"
	"runtime"
	"time"

	"github.com/dpbandits/dpbandits/pkg/internal/built"
)

// Provenance says where a result comes from. The fields from Workers on describe the run, and may
// differ between two runs of the same experiment; the results do not.
type Provenance struct {
	Experiment  string
	Seed        uint64
	Trials      int // trials that finished
	Asked       int // trials asked for
	Horizon     int // rounds that the learners were calibrated for
	Rounds      int // rounds that each trial ran
	Fingerprint string
	Version     string // of the toolkit; see Version
	Go          string // version of Go
	Platform    string // GOOS/GOARCH

	Workers int
	CPUs    int
	Date    time.Time // end of the run, UTC
	// Wall is the time from the start of the run until this experiment's last trial finished, other
	// experiments of its RunAll included. If there were several runs, their times are added, even if
	// the runs went on at the same time; a trial of Prepared.RunTrial is a run.
	Wall time.Duration
	// Busy is the time that this experiment's finished trials took, restored ones included.
	Busy time.Duration
	// RoundsPerSecond is the speed of one worker on this experiment: rounds run / Busy. Each policy's
	// round counts.
	RoundsPerSecond float64
	Restored        int      // trials that came from the checkpoint
	OtherVersions   []string // versions, other than Version, that ran restored trials
}

func (p *Prepared) provenance(records []*Record, from Origin) Provenance {
	out := Provenance{
		Experiment: p.Name, Seed: p.Seed, Asked: p.Trials, Horizon: p.Horizon, Rounds: p.rounds(), Fingerprint: p.Fingerprint,
		Version: cmp.Or(from.Version, Version()), Go: from.Go, Platform: from.Platform,
		CPUs: runtime.NumCPU(), Date: time.Now().UTC().Truncate(time.Second),
	}
	walls := make(map[int64]time.Duration)                // by run
	other := map[string]bool{out.Version: true, "": true} // a Cache has none
	for _, rec := range records {
		if rec == nil {
			continue
		}
		out.Trials++
		out.Busy += rec.Busy
		walls[rec.Run] = max(walls[rec.Run], rec.After)
		if !other[rec.Version] {
			other[rec.Version] = true
			out.OtherVersions = append(out.OtherVersions, rec.Version)
		}
	}
	for _, wall := range walls {
		out.Wall += wall
	}
	if out.Busy > 0 {
		out.RoundsPerSecond = float64(p.cost()) * float64(out.Trials) / out.Busy.Seconds()
	}
	return out
}

// Version returns the revision of the toolkit that runs, fixed when the program was built. It is
// the first of these that is known:
//
//   - what the linker was told: -ldflags "-X .../pkg/internal/built.version=v1.2.3"
//   - the revision that the build recorded, if the program is the toolkit's own
//   - the version of the toolkit, or of its replacement, that the program's go.mod asked for
//   - the revision of the git checkout it was compiled in, if pkg/cmd/stamp linked the program
//   - a hash of the program's executable file, "binary-..."
//
// A revision ends in "-dirty" if files were changed. The version is "unknown" in a browser. It is a
// name for people: what a kept trial was computed by is in its Origin's Build.
func Version() string { return built.Version() }

// Program returns the module and version of a program that is not the toolkit's own, for what its
// code decides: "example.org/thesis@v0.3.0". In place of a version that the build does not know, or
// that has uncommitted changes, it gives a hash of the executable file. It is empty for the
// toolkit's programs, of which Version tells all.
func Program() string { return built.Program() }
