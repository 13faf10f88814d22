package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/internal/opaque"
	"github.com/dpbandits/dpbandits/pkg/simulate"
	"github.com/dpbandits/dpbandits/pkg/value"
)

// Race is a world in which the learner played beside its rivals. Of each private one the proved
// epsilon is at most the learner's; deltas, trust models and neighbours may differ.
type Race struct {
	World   string   `json:"world"`
	Rounds  int      `json:"rounds"`
	Trials  int      `json:"trials"`
	Runners []Runner `json:"runners"` // least regret first; the learner itself is one of them
	// Rank is the learner's among those that are private, from 1 on, of so many; 0 if it is not.
	Rank    int    `json:"rank"`
	Private int    `json:"private"`
	Made    int    `json:"made"`             // of Private, those that are not known to be made for other rewards
	Failed  string `json:"failed,omitempty"` // why trials have no result
}

// Runner is a learner in a race.
type Runner struct {
	Name   string  `json:"name"`
	Own    bool    `json:"own"`           // it is the learner that the card is of
	Model  string  `json:"model"`         // trust model; empty for one that is not private
	For    string  `json:"for,omitempty"` // rewards that it is made for; empty if these are the world's, or not known
	Proved Number  `json:"proved"`        // epsilon
	Regret float64 `json:"regret"`        // mean at the last round
	Within Number  `json:"within"`        // half the width of its 95% interval; NaN of one trial
	// Behind is the learner's regret minus this runner's, trial by trial, and BehindWithin half the
	// width of its 95% interval.
	Behind       Number    `json:"behind"`
	BehindWithin Number    `json:"behind_within"`
	Rounds       []int     `json:"rounds"` // of the curve
	Curve        []float64 `json:"curve"`
}

// own is the learner's name in a race.
const own = "this learner"

// experiment is a race, and the entries that take part.
type experiment struct {
	*simulate.Experiment
	place  place
	models map[string]string
	others map[string]string // Runner.For
}

// prepare makes the experiment of a world. A rival that does not open, that proves less privacy
// than the learner, or that is the learner stays away.
func (j *judging) prepare(p place) experiment {
	b := budget(p.claim)
	e := experiment{place: p, models: map[string]string{}, others: map[string]string{own: p.other}, Experiment: &simulate.Experiment{
		Name: "card-" + p.Key, Environment: p.env, Horizon: j.horizon(), Trials: j.trials(), Seed: j.Seed,
		Policies: []simulate.Policy{{Name: own, Learner: j.learner}}, Fingerprint: j.Version,
		Grid: simulate.LogGrid(j.horizon(), 24),
	}}
	for _, r := range j.Rivals {
		if r.Private && b.None() || !r.Plays(p.World) {
			continue
		}
		l, claim, err := r.Enter(p.problem, b, j.horizon())
		if err != nil || r.Private && !(claim.Epsilon() <= b.Epsilon*(1+1e-9)) || reflect.DeepEqual(l, j.learner) {
			continue
		}
		if r.Private {
			e.models[r.Name] = claim.Model().String()
		}
		if !r.Suits(p.World, p.hidden) {
			e.others[r.Name] = r.For.String()
		}
		e.Policies = append(e.Policies, simulate.Policy{Name: r.Name, Learner: l})
		e.Pairs = append(e.Pairs, [2]string{own, r.Name})
	}
	if j.Dir != "" {
		e.Checkpoint = filepath.Join(j.Dir, fmt.Sprintf("%s-%s.jsonl", e.Name, j.key))
	}
	return e
}

// keep makes the directory of finished trials and attacks. A learner whose version is not known is
// an error.
func (j *judging) keep() error {
	if j.Dir == "" {
		return nil
	}
	if j.Version == "" {
		foreign := value.Foreign(j.learner)
		if opaque.Is(reflect.ValueOf(j.learner)) {
			foreign = []string{fmt.Sprintf("a %T", j.learner)}
		}
		if len(foreign) > 0 {
			return fmt.Errorf("judge: Options.Dir keeps trials and attacks, and what %s does is not in its fields: state Options.Version (-version of dpbandits), and another one whenever it changes", foreign[0])
		}
	}
	if err := os.MkdirAll(j.Dir, 0o777); err != nil {
		return fmt.Errorf("judge: Options.Dir: %w", err)
	}
	j.key = j.newKey()
	return nil
}

// race plays all races.
func (j *judging) race(ctx context.Context) error {
	var races []experiment
	var list []*simulate.Experiment
	for _, p := range j.places {
		e := j.prepare(p)
		races, list = append(races, e), append(list, e.Experiment)
	}
	results, err := simulate.RunAll(ctx, list, simulate.Options{Workers: j.Workers, Progress: j.Races})
	if results == nil {
		return err
	}
	for i, r := range results {
		j.card.Races = append(j.card.Races, races[i].result(r))
	}
	var failed *simulate.TrialError
	if errors.As(err, &failed) && ctx.Err() == nil { // a finding, not an end
		for i := range j.card.Races {
			if r := &j.card.Races[i]; r.Trials < j.trials() {
				r.Failed = failed.Error()
			}
		}
		if failed.Policy == own {
			j.card.Checks = append(j.card.Checks, Check{"simulate.RunAll", "plays each race to its end", "", []string{failed.Error()}})
		}
		return nil
	}
	return err
}

// result orders the runners of a race.
func (e experiment) result(r *simulate.Result) Race {
	race := Race{World: e.place.Name, Rounds: r.Provenance.Rounds, Trials: len(r.Finished)}
	if race.Trials == 0 {
		return race
	}
	for _, p := range r.Policies {
		c, err := r.Curve(p.Name)
		if err != nil {
			continue
		}
		_, mean, se := c.Last()
		runner := Runner{
			Name: p.Name, Own: p.Name == own, Model: e.models[p.Name], For: e.others[p.Name], Proved: Number(p.Epsilon()),
			Regret: mean, Within: Number(se * c.Student95()), Rounds: c.Rounds, Curve: c.Mean,
		}
		if runner.Own {
			if e.place.claim.Held() {
				runner.Model = e.place.claim.Model().String()
			}
		} else if d, err := r.Paired(own, p.Name); err == nil {
			_, mean, se := d.Last()
			runner.Behind, runner.BehindWithin = Number(mean), Number(se*d.Student95())
		}
		race.Runners = append(race.Runners, runner)
	}
	slices.SortStableFunc(race.Runners, func(a, b Runner) int { return cmp.Compare(a.Regret, b.Regret) })
	for _, r := range race.Runners {
		if r.Model == "" {
			continue
		}
		if race.Private++; r.Own {
			race.Rank = race.Private
		}
		if r.For == "" {
			race.Made++
		}
	}
	return race
}

// Title returns the runner's name with remarks, and what it is made for if that is other rewards.
func (r Runner) Title(remarks ...string) string {
	if r.For != "" {
		remarks = append(remarks, "for "+r.For)
	}
	if len(remarks) == 0 {
		return r.Name
	}
	return fmt.Sprintf("%s (%s)", r.Name, strings.Join(remarks, ", "))
}

// Standing returns the learner's rank in words, and how many of the private learners are for such
// rewards, if not all are; empty if the learner is not private.
func (r Race) Standing() string {
	switch {
	case r.Rank == 0:
		return ""
	case r.Made < r.Private:
		return fmt.Sprintf("rank %d of %d private learners, %d of them for such rewards", r.Rank, r.Private, r.Made)
	}
	return fmt.Sprintf("rank %d of %d private learners", r.Rank, r.Private)
}

// Best returns the private rival with the least regret, and whether there is one.
func (r Race) Best() (Runner, bool) {
	for _, other := range r.Runners {
		if !other.Own && other.Model != "" {
			return other, true
		}
	}
	return Runner{}, false
}

// Learner returns the learner that the card is of.
func (r Race) Learner() Runner {
	for _, other := range r.Runners {
		if other.Own {
			return other
		}
	}
	return Runner{Regret: math.NaN(), Within: Number(math.NaN())}
}

// Public returns the learner without privacy that has the least regret, and whether there is one.
func (r Race) Public() (Runner, bool) {
	for _, other := range r.Runners {
		if !other.Own && other.Model == "" {
			return other, true
		}
	}
	return Runner{}, false
}
