package privacytest

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// Choice is something that chooses under noise, on two inputs that differ in one record.
type Choice struct {
	// Worlds run on either input. They return what is chosen, as numbers, and numbers that are released
	// beside it under noise of their own, if any.
	Worlds [2]func(n *privacy.Noise) (chosen, released []float64, err error)
	// Moves returns the most by which one record may move what a number under noise of a law is
	// compared with, or added to, by the plan. 0 leaves the law out.
	Moves func(law privacy.Law) float64
	// Below is the share of Moves by which the records of Worlds may fall short of it. 0 means 1e-6.
	Below float64
	// Idle reports whether a number of a draw may be without effect on both inputs; nil means that none
	// may. Numbers and draws count from 0.
	Idle func(draw, number int) bool
}

// Check measures how much noise a choice really has, whatever its law. Use it for what Probe
// cannot measure.
//
// All noise is zero but for one number. That number is raised and lowered until the choice changes;
// where it does is compared between the two inputs. If it never does, what is released beside the
// choice has to follow the number. So it finds noise that is too small, left out, or used
// twice. It fails if the record moves that place by more than Moves, or if it moves none of a law's
// by as much.
func (c Choice) Check(t testing.TB) {
	t.Helper()
	runAll(t, []check{{"Choices", c.check}})
}

// pulse is noise that is zero but for one number.
type pulse struct {
	draw, number int
	size         float64
	laws         []privacy.Law // of all draws
	wide         []int         // how many numbers each has
}

func (p *pulse) noise() *privacy.Noise {
	p.laws, p.wide = nil, nil
	return privacy.ScriptedNoise(func(law privacy.Law, dst []float64) {
		clear(dst)
		if len(p.laws) == p.draw && p.number < len(dst) {
			dst[p.number] = p.size
		}
		p.laws, p.wide = append(p.laws, law), append(p.wide, len(dst))
	})
}

// farNoise is how far a number is raised and lowered, in units of Moves.
const farNoise = 1e4

func (c Choice) check(fail report) {
	quiet := pulse{draw: -1}
	if _, _, err := c.Worlds[0](quiet.noise()); err != nil {
		fail("%v", err)
		return
	}
	most := map[privacy.Law]float64{}
	for draw, law := range quiet.laws {
		unit := c.Moves(law)
		if unit == 0 {
			continue
		}
		for number := range quiet.wide[draw] {
			moved, effect, err := c.moved(draw, number, unit)
			switch {
			case err != nil:
				fail("%v", err)
				return
			case !effect && (c.Idle == nil || !c.Idle(draw, number)):
				fail("number %d of draw %d, of %v, changes nothing that is chosen or released", number, draw, law)
				return
			case moved > unit*(1+1e-6):
				fail("one record moves what number %d of draw %d, of %v, is compared with by %.6g, and the plan says at most %.6g: the sensitivity is more, or the noise less, than planned",
					number, draw, law, moved, unit)
				return
			}
			most[law] = max(most[law], moved)
		}
	}
	below := c.Below
	if below == 0 {
		below = 1e-6
	}
	for law, moved := range most {
		if !(moved >= c.Moves(law)*(1-below)) {
			fail("the plan says that one record moves what noise of %v is compared with by %.6g, and this one moves it by %.6g: set Choice.Below, or try another record",
				law, c.Moves(law), moved)
		}
	}
	if len(most) == 0 {
		fail("no noise is drawn")
	}
}

// moved returns by how much the record moves the place where a number changes the choice, or what
// is released with the number in it. effect reports whether the number has any effect.
func (c Choice) moved(draw, number int, unit float64) (moved float64, effect bool, err error) {
	at := func(world int, size float64) (string, []float64, error) {
		p := pulse{draw: draw, number: number, size: size}
		chosen, released, err := c.Worlds[world](p.noise())
		return fmt.Sprint(chosen), released, err
	}
	var place [2]float64
	var data [2][]float64
	var slope float64
	flips := 0
	for world := range c.Worlds {
		low, _, err := at(world, -farNoise*unit)
		if err != nil {
			return 0, false, err
		}
		high, _, err := at(world, farNoise*unit)
		if err != nil {
			return 0, false, err
		}
		_, base, err := at(world, 0)
		if err != nil {
			return 0, false, err
		}
		_, raised, err := at(world, unit/1e3)
		if err != nil {
			return 0, false, err
		}
		data[world] = append([]float64(nil), base...)
		for i := range min(len(base), len(raised)) {
			slope = max(slope, math.Abs(raised[i]-base[i])/(unit/1e3))
		}
		if low == high {
			continue
		}
		flips++
		from, to := -farNoise*unit, farNoise*unit
		for to-from > 1e-9*unit {
			middle := from + float64((to-from)/2)
			if middle <= from || middle >= to {
				break
			}
			now, _, err := at(world, middle)
			if err != nil {
				return 0, false, err
			}
			if now == low {
				from = middle
			} else {
				to = middle
			}
		}
		place[world] = to
	}
	switch {
	case flips == 2:
		return math.Abs(place[1] - place[0]), true, nil
	case flips == 1:
		return math.Inf(1), true, nil
	case slope < 1e-6:
		return 0, false, nil
	}
	for i := range min(len(data[0]), len(data[1])) {
		moved = max(moved, math.Abs(data[1][i]-data[0][i])/slope)
	}
	return moved, true, nil
}
