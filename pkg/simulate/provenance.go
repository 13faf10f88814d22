package simulate

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
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
	// experiments of its RunAll included. If trials were restored, the times of their runs are added.
	Wall time.Duration
	// Busy is the time that this experiment's finished trials took, restored ones included.
	Busy time.Duration
	// RoundsPerSecond is the speed of one worker on this experiment: rounds run / Busy. Each policy's
	// round counts.
	RoundsPerSecond float64
	Restored        int      // trials that came from the checkpoint
	OtherVersions   []string // versions, other than Version, that ran restored trials
}

func (j *job) provenance(workers int) Provenance {
	p := Provenance{
		Experiment: j.Name, Seed: j.Seed, Asked: j.Trials, Horizon: j.Horizon, Rounds: j.rounds(), Fingerprint: j.Fingerprint,
		Version: Version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Workers: workers, CPUs: runtime.NumCPU(), Date: time.Now().UTC().Truncate(time.Second),
		Restored: j.restored,
	}
	walls := make(map[int64]time.Duration) // by run
	other := map[string]bool{p.Version: true}
	for _, rec := range j.records {
		if rec == nil {
			continue
		}
		p.Trials++
		p.Busy += rec.Busy
		walls[rec.Run] = max(walls[rec.Run], rec.After)
		if !other[rec.Version] {
			other[rec.Version] = true
			p.OtherVersions = append(p.OtherVersions, rec.Version)
		}
	}
	for _, wall := range walls {
		p.Wall += wall
	}
	if p.Busy > 0 {
		p.RoundsPerSecond = float64(j.cost()) * float64(p.Trials) / p.Busy.Seconds()
	}
	return p
}

const module = "github.com/dpbandits/dpbandits"

// Version returns the revision of the toolkit that runs: what the build recorded, else that of the
// git checkout it was compiled from, with "-dirty" if files were changed, else "unknown".
var Version = sync.OnceValue(func() string {
	if v := buildVersion(); v != "" {
		return v
	}
	if v := gitVersion(); v != "" {
		return v
	}
	return "unknown"
})

func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	if info.Main.Path == module {
		revision, dirty := "", ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "-dirty"
			}
		}
		if revision != "" {
			return revision + dirty
		}
	}
	for _, dep := range info.Deps {
		if dep.Path == module && dep.Replace == nil && dep.Version != "" && dep.Version != "(devel)" && dep.Version != "v0.0.0" {
			return dep.Version
		}
	}
	return ""
}
