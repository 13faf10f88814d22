package external

import (
	"runtime"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// run is a run of a Program. Nothing but its user holds it, so that its process is free again when
// the user drops it.
type run struct {
	session *session
	of      *opened // which is not collected before its runs
}

var (
	_ bandit.Warmed   = (*run)(nil)
	_ bandit.Warner   = (*run)(nil)
	_ privacy.Planner = (*run)(nil)
)

// lock makes a call the only one, and keeps the run from being collected until unlock.
func (r *run) lock() *session {
	r.session.mu.Lock()
	return r.session
}

func (r *run) unlock() {
	r.session.mu.Unlock()
	runtime.KeepAlive(r)
}

// WarmUp gives the program its round 0.
func (r *run) WarmUp(y []float64) error {
	defer r.unlock()
	return r.lock().warmUp(y)
}

// Select asks the program for its arms, and tells it the rewards of the round before.
func (r *run) Select(v *bandit.View, dst []int) ([]int, error) {
	defer r.unlock()
	return r.lock().choose(v, dst)
}

// Update keeps the rewards, to be sent with the next message. They are those of the last round.
func (r *run) Update(v *bandit.View, arms []int, y []float64) error {
	defer r.unlock()
	return r.lock().keep(v, arms, y)
}

// Released appends the numbers that the program has made public, after the rewards of all rounds so
// far.
func (r *run) Released(dst []float64) ([]float64, error) {
	defer r.unlock()
	return r.lock().appendReleased(dst)
}

// Release returns what Released appends, for audit.Releases. It is nil if the program fails; then
// the next call says why.
func (r *run) Release() []float64 {
	release, err := r.Released(nil)
	if err != nil {
		return nil
	}
	return release
}

// Warnings says whether processes had failed between two runs.
func (r *run) Warnings() []bandit.Warning {
	defer r.unlock()
	n := r.lock().renewed
	if n == 0 {
		return nil
	}
	return []bandit.Warning{{What: "processes of an external program that failed between two runs, and were replaced", Count: n}}
}

// Close ends the run: the program has its last rewards, and its process is free. Closing again does
// nothing.
func (r *run) Close() error {
	defer r.unlock()
	return r.lock().close()
}

// Plan returns the plan of what the program states.
func (r *run) Plan(int) privacy.Plan { return r.session.plan().HeldBy(r) }
