package learner

import (
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner/internal/checks"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

var _ bandit.Committed = (*PrivateRun[privacy.Means])(nil)

// Ahead appends how often each arm is played until the statistic releases something. It appends
// nothing unless the rule is a turner and the statistic a privacy.Summer. It appends nothing if
// rewards are encoded or have other bounds than the problem's, as sums would go around both.
func (l *PrivateRun[R]) Ahead(v *bandit.View, most int, dst []bandit.Plays) []bandit.Plays {
	rule, ok := l.rule.(turner[R])
	statistic, also := any(l.stream).(privacy.Summer)
	if !ok || !also || !l.plain || l.failed != nil || l.warmUp || l.problem.Dim > 0 || l.problem.Slots != 1 || !v.Fits(&l.problem) || most < 1 {
		return dst
	}
	var err error
	if l.turn, err = rule.Turn(l.broadcast, v, l.turn[:0]); err != nil || len(l.turn) == 0 {
		return dst // Select reports it
	}
	// an Act of one's own beside a promoted Turn
	if l.now, err = rule.Act(l.broadcast, v, l.now[:0]); err != nil || len(l.now) != 1 || l.now[0] != l.turn[0] {
		return dst
	}
	size, n := len(l.turn), most
	for i, arm := range l.turn {
		if i >= n {
			break // something is released before this arm's turn
		}
		if uint(arm) >= uint(l.problem.Arms) {
			return dst
		}
		if more := statistic.Missing(arm) - 1; more <= (n-1-i)/size {
			n = more*size + i + 1
		}
	}
	for i := range min(size, n) { // the last round's arm, which may cause the release, comes last
		at := (n + i) % size
		if n < size {
			at = i
		}
		dst = append(dst, bandit.Plays{Arm: l.turn[at], Times: (n - at + size - 1) / size})
	}
	return dst
}

// UpdateSums hands the sums to the statistic. If the release has changed, the policy learns from
// it.
func (l *PrivateRun[R]) UpdateSums(v *bandit.View, plays []bandit.Plays) error {
	statistic, ok := any(l.stream).(privacy.Summer)
	switch {
	case !ok:
		return checks.InRound(v.Round, fmt.Errorf("sums for a %T, which takes in none", l.stream))
	case !l.plain:
		return checks.InRound(v.Round, fmt.Errorf("sums for a %T, which encodes or clips each reward", l.policy))
	}
	round := v.Round - 1
	for _, p := range plays {
		round += p.Times
		moved, err := statistic.AddSum(p.Arm, p.Times, p.Sum)
		if err == nil && moved {
			err = l.learn()
		}
		if err != nil {
			return checks.InRound(round, err)
		}
	}
	return nil
}
