package simulate

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"time"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// Record is a finished trial. It is plain data: as JSON it comes back bit by bit. Without what it
// took, two records of one trial are equal, wherever and whenever it was played.
type Record struct {
	Origin
	Trial    int                `json:"trial"`
	Regret   [][]float64        `json:"regret"`   // [policy][grid point], cumulative
	Warnings [][]bandit.Warning `json:"warnings"` // [policy]
	// What the trial took, and when, which does not bear on results:
	Busy  time.Duration `json:"busy"`  // how long the trial took
	Run   int64         `json:"run"`   // start of its run, in Unix nanoseconds
	After time.Duration `json:"after"` // from then until the trial finished
}

// Origin names what made a record. Records belong together if their origins are equal.
type Origin struct {
	Experiment  string `json:"experiment"`
	Seed        uint64 `json:"seed"`
	Horizon     int    `json:"horizon"`
	Rounds      int    `json:"rounds"`
	Fingerprint string `json:"fingerprint"`
	// Parameters is a hash of the grid, the names of the policies, and all fields of environment and
	// learners, and of what their code was built from; see Experiment.Fingerprint.
	Parameters string `json:"parameters"`
	// Build says what was built of all code that the results depend on: "packages-..." of those with
	// the types of environment and learners if pkg/cmd/stamp linked the program, "binary-..." of the
	// whole program if not, or "stated-..." of a Version that the linker was told.
	Build    string `json:"build"`
	Version  string `json:"version"` // of the toolkit; see Version
	Program  string `json:"program"` // that uses the toolkit; see Program
	Go       string `json:"go"`      // version of Go
	Platform string `json:"platform"`
}

// newOrigin returns the origin of the records that this program makes of an experiment. What takes
// time is left out if the experiment is not described, as it keeps no records then.
func newOrigin(id identity, build func() string) (Origin, error) {
	o := Origin{
		Experiment: id.Name, Seed: id.Seed, Horizon: id.Horizon, Rounds: id.Rounds, Fingerprint: id.Fingerprint,
		Version: Version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if id.Environment == nil {
		return o, nil
	}
	text, err := json.Marshal(id)
	if err != nil {
		return o, err
	}
	sum := sha256.Sum256(text)
	o.Build, o.Program = build(), Program()
	o.Parameters = fmt.Sprintf("%x", sum[:8])
	return o, nil
}

// differs returns an error that names the first difference between a record's origin and the one
// that is wanted.
func (o Origin) differs(want Origin) error {
	if o == want {
		return nil
	}
	got, wanted := reflect.ValueOf(o), reflect.ValueOf(want)
	for i := range got.NumField() {
		if a, b := got.Field(i).Interface(), wanted.Field(i).Interface(); a != b {
			return fmt.Errorf("it belongs to another run: its %s is %#v, want %#v", got.Type().Field(i).Name, a, b)
		}
	}
	panic("unreachable")
}

// check refuses a record that has not the shape of the experiment's.
func (r *Record) check(id identity) error {
	if r.Trial < 0 || len(r.Regret) != len(id.Policies) || len(r.Warnings) != len(id.Policies) {
		return fmt.Errorf("trial %d with %d policies, want a trial >= 0 with %d", r.Trial, len(r.Regret), len(id.Policies))
	}
	for _, regret := range r.Regret {
		if len(regret) != len(id.Grid) {
			return fmt.Errorf("trial %d has %d grid points, want %d", r.Trial, len(regret), len(id.Grid))
		}
	}
	return nil
}

// choose returns the record with some of its policies only.
func (r *Record) choose(columns []int) *Record {
	chosen := &Record{Origin: r.Origin, Trial: r.Trial, Busy: r.Busy, Run: r.Run, After: r.After}
	for _, i := range columns {
		chosen.Regret = append(chosen.Regret, r.Regret[i])
		chosen.Warnings = append(chosen.Warnings, r.Warnings[i])
	}
	return chosen
}

// missing lists the policies of a trial that were not found. Nothing found means all n.
func missing(found []*Record, n int) (policies []int) {
	for i := range n {
		if found == nil || found[i] == nil {
			policies = append(policies, i)
		}
	}
	return policies
}

// complete returns the record of a trial of which some policies were found, and the others played.
func (p *Prepared) complete(found []*Record, played *Record) *Record {
	all := &Record{Origin: p.origin, Trial: played.Trial, Busy: played.Busy, Run: played.Run, After: played.After}
	next := 0 // of those who played
	for _, r := range found {
		column := 0
		if r == nil {
			r, column = played, next
			next++
		} else {
			all.Busy += r.Busy
			if r.Run > all.Run {
				all.Run, all.After = r.Run, r.After
			}
		}
		all.Regret = append(all.Regret, r.Regret[column])
		all.Warnings = append(all.Warnings, r.Warnings[column])
	}
	return all
}

// same tells whether two records say the same, whatever they cost.
func (r *Record) same(other *Record) bool {
	a, b := *r, *other
	a.Busy, a.Run, a.After, b.Busy, b.Run, b.After = 0, 0, 0, 0, 0, 0
	return reflect.DeepEqual(a, b)
}

// collect returns the records by trial. It refuses records that do not come from want or have not
// its shape, and two that contradict each other.
func collect(records []*Record, id identity, want Origin) (map[int]*Record, error) {
	all := make(map[int]*Record, len(records))
	for i, r := range records {
		if r == nil {
			return nil, fmt.Errorf("records[%d] is nil", i)
		}
		err := r.differs(want)
		if err == nil {
			err = r.check(id)
		}
		if err != nil {
			return nil, fmt.Errorf("record of trial %d: %w", r.Trial, err)
		}
		before := all[r.Trial]
		if before != nil && !before.same(r) {
			return nil, fmt.Errorf("two records of trial %d contradict each other", r.Trial)
		}
		if before == nil {
			all[r.Trial] = r
		}
	}
	return all, nil
}
