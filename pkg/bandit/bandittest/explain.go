package bandittest

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// explains plays twins, one of which is asked what it chooses by, once or twice in most rounds. It
// has to play the same arms, and to answer for each arm of the view, or never.
func (s learnerSuite) explains() error {
	asked, err := s.start(s.Seed)
	if err != nil {
		return err
	}
	if _, ok := asked.Run.(bandit.Explainer); !ok {
		return nil
	}
	twin, err := s.start(s.Seed)
	if err != nil {
		return err
	}
	answered := false
	for i := range s.Rounds {
		if err := twin.round(); err != nil {
			return err
		}
		asked.env.Next(&asked.view)
		if err := asked.choose(&asked.view); err != nil {
			return err
		}
		if d := firstDifference(asked.arms, twin.arms); d >= 0 {
			return fmt.Errorf("round %d: it chose %v after it was asked to explain, and unasked %v", i+1, asked.arms, twin.arms)
		}
		for range i % 3 {
			answer, err := explanation(asked)
			if errors.Is(err, errors.ErrUnsupported) && !answered {
				return nil
			}
			if answered = true; err != nil {
				return fmt.Errorf("round %d: %w", i+1, err)
			}
			for _, a := range asked.arms {
				if math.IsInf(answer[a].Index, -1) {
					return fmt.Errorf("round %d: it plays arm %d, and explains that it is out", i+1, a)
				}
			}
		}
		asked.env.Pull(asked.rewards, asked.arms, asked.y)
		if err := asked.learn(&asked.view); err != nil {
			return err
		}
	}
	return nil
}

// explanation asks a player. Its numbers are finite or NaN, but for an index, and no width is
// negative.
func explanation(p *player) ([]bandit.Insight, error) {
	before := bandit.Insight{Index: 7}
	list, err := bandit.Explain(p.Run, &p.view, []bandit.Insight{before})
	if err != nil {
		return nil, fmt.Errorf("Explain: %w", err)
	}
	if len(list) != 1+p.view.Arms || list[0] != before {
		return nil, fmt.Errorf("Explain appended %d insights for %d arms", len(list)-1, p.view.Arms)
	}
	for a, x := range list[1:] {
		if math.IsInf(x.Estimate, 0) || math.IsInf(x.Width, 0) || x.Width < 0 {
			return nil, fmt.Errorf("Explain says of arm %d %+v, want finite numbers, and a width >= 0", a, x)
		}
	}
	return list[1:], nil
}
