package episodes

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/size"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/curator"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// TopScores releases the coordinates of a context that have to do with the reward: at the end of
// each episode of rounds, those with the largest absolute scores, chosen by [mechanism.TopK] under
// Gumbel noise.
//
// Rows are those of Setup. A record is in one episode, whose place is public, and a neighbour
// replaces it there. Scores are forgotten after each episode and never released.
type TopScores struct {
	Budget  privacy.Budget // no default; epsilon = +Inf means no noise
	Picks   int            // coordinates to choose, >= 1, no default
	Scores  Scores         // nil means Signs{}
	Lengths EpisodeLengths // public; nil means Growing{}: 32, 64, ...
}

// Support is the release of TopScores: the coordinates chosen at the end of the last episode, the
// first pick first.
type Support struct {
	Episode int // number of episodes that have ended; 0 means that nothing was released yet
	Of      []int
}

var _ privacy.Statistic[Support] = TopScores{}

// topScores are TopScores for a setup.
type topScores struct {
	data    privacy.Setup
	rule    Scores
	lengths EpisodeLengths
	top     mechanism.Calibrated[mechanism.Choices]
	scale   float64 // of the noise on a score
	ends    []int
	picks   int
}

// topScoresRun is a run of TopScores.
type topScoresRun struct {
	*topScores
	choose  mechanism.Choices
	count   int
	ended   int // episodes
	scores  []float64
	support Support
}

// Open validates and calibrates.
func (of TopScores) Open(s privacy.Setup) (privacy.Mechanism[Support], error) {
	if err := checkEpisodes(s); err != nil {
		return nil, err
	}
	t := &topScores{data: s, rule: settled(of.Scores), lengths: of.Lengths, picks: of.Picks}
	if err := t.rule.Validate(); err != nil {
		return nil, fmt.Errorf("mechanism: TopScores.Scores: %w", err)
	}
	dim := s.Dim - 1
	var err error
	if t.top, err = (mechanism.TopK{Budget: of.Budget, K: of.Picks, Candidates: dim, Sensitivity: 2 * t.rule.Most(), Neighbours: privacy.ReplaceRound}).Open(); err != nil {
		return nil, err
	}
	t.scale = t.top.Start(nil).Scale()
	if t.ends, _, err = schedule(of.Lengths, dim, s.Horizon, t.scale/t.rule.Most()); err != nil {
		return nil, err
	}
	return t, nil
}

// Start begins a run that draws its noise from n.
func (t *topScores) Start(n *privacy.Noise) privacy.Stream[Support] {
	if n == nil {
		return curator.WithoutNoise(t)
	}
	return &topScoresRun{topScores: t, choose: t.top.Start(n), scores: make([]float64, t.data.Dim-1),
		support: Support{Of: make([]int, 0, t.picks)}}
}

// Add adds a row. moved reports whether it has ended an episode.
func (t *topScoresRun) Add(rec *privacy.Record) (moved bool, err error) {
	if err := checkRow(t.data, t.count, rec); err != nil {
		return false, err
	}
	t.count++
	if t.ended == len(t.ends) {
		return false, nil // the rest of the rounds
	}
	t.rule.Add(t.scores, rec.X, rec.Y[0])
	if t.count < t.ends[t.ended] {
		return false, nil
	}
	for j, u := range t.scores {
		t.scores[j] = math.Abs(u)
	}
	if t.support.Of, err = t.choose.Choose(t.scores, t.support.Of[:0]); err == nil {
		t.ended++
	}
	t.support.Episode = t.ended
	clear(t.scores)
	return true, err
}

// Release returns the support that the last episode's end released.
func (t *topScoresRun) Release() *Support { return &t.support }

// Clipped returns 0: scores are bounded by the rule, and rows are not counted.
func (t *topScoresRun) Clipped() int { return 0 }

// Scale returns the scale of the Gumbel noise on a score.
func (t *topScores) Scale() float64 { return t.scale }

// Plan returns what the supports of so many records reveal of one record: that of its episode.
func (t *topScores) Plan(records int) privacy.Plan {
	return privacy.PlanOf(t.top, t.told(records)).HeldBy(t).Trusts(t.rule, t.lengths)
}

// Plan returns the mechanism's plan with the draws of the run.
func (t *topScoresRun) Plan(records int) privacy.Plan {
	return privacy.PlanOf(t.choose, t.told(records)).HeldBy(t).Trusts(t.rule, t.lengths)
}

// told returns 0 for so few records that no episode has ended.
func (t *topScores) told(records int) int {
	if len(t.ends) == 0 || t.ends[0] > records {
		return 0
	}
	return records
}

// checkEpisodes returns an error if a field that statistics of episodes read is out of its range.
func checkEpisodes(s privacy.Setup) error {
	switch {
	case s.Dim < 2:
		return fmt.Errorf("mechanism: Setup.Dim = %d, want >= 2", s.Dim)
	case s.Horizon < 1:
		return fmt.Errorf("mechanism: Setup.Horizon = %d, want >= 1", s.Horizon)
	}
	return size.Check(fmt.Sprintf("mechanism: Setup.Dim = %d", s.Dim), 3*float64(s.Dim))
}

// checkRow returns an error if a record is no row of a setup, or beyond its horizon.
func checkRow(s privacy.Setup, count int, rec *privacy.Record) error {
	switch {
	case count >= s.Horizon:
		return fmt.Errorf("mechanism: a row beyond the horizon of %d rounds, want none: its release would cost privacy that was not accounted", s.Horizon)
	case len(rec.X) != s.Dim-1 || len(rec.Y) != 1:
		return fmt.Errorf("mechanism: a row of length %d, with %d rewards, want %d, with 1", len(rec.X)+len(rec.Y), len(rec.Y), s.Dim)
	case !(packed.Finite(rec.X) && packed.Finite(rec.Y)):
		return fmt.Errorf("mechanism: a row %v with reward %v, want finite numbers", slices.Clone(rec.X), rec.Y[0])
	}
	return nil
}

// schedule returns the ends of the episodes that end before the horizon, and the longest's length.
func schedule(rule EpisodeLengths, dim, horizon int, scale float64) (ends []int, longest int, err error) {
	if rule == nil {
		rule = Growing{}
	}
	for end := 0; ; {
		n := rule.Length(len(ends), dim, scale)
		switch {
		case n < 1:
			return nil, 0, fmt.Errorf("mechanism: %T's Length(%d) = %d, want >= 1", rule, len(ends), n)
		case n >= horizon-end && len(ends) == 0:
			return nil, 0, fmt.Errorf("mechanism: Setup.Horizon = %d, want more than the %d rounds of the first episode", horizon, n)
		case n >= horizon-end: // what it releases, nobody would see
			return ends, longest, nil
		case len(ends) == curator.MaxReleases:
			return nil, 0, fmt.Errorf("mechanism: %T has over %d episodes for a horizon of %d, want fewer and longer ones", rule, curator.MaxReleases, horizon)
		}
		end += n
		ends, longest = append(ends, end), max(longest, n)
	}
}
