package charts

import (
	"math"
	"strings"
	"testing"
)

func TestTree(t *testing.T) {
	const rounds = 32
	for r := 1; r <= rounds; r++ {
		covered := make([]int, rounds+1)
		for _, n := range Released(r) {
			for i := n.First(); i <= n.Last(); i++ {
				covered[i]++
			}
		}
		for i := 1; i <= rounds; i++ {
			if want := map[bool]int{true: 1}[i <= r]; covered[i] != want {
				t.Errorf("the release at %d sums round %d %d times", r, i, covered[i])
			}
		}
		touched := Touched(r, rounds)
		if len(touched) != 6 {
			t.Errorf("round %d touches %d nodes", r, len(touched))
		}
		for _, n := range touched {
			if r < n.First() || r > n.Last() {
				t.Errorf("round %d touches %v", r, n)
			}
		}
	}
	f, err := Tree{Rounds: 8}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Slider.Frames) != 8 || f.Slider.Start != 6 {
		t.Errorf("%d frames, the first is %d", len(f.Slider.Frames), f.Slider.Start)
	}
	boxes := 0
	for _, s := range f.Slider.Frames[6].Series {
		boxes += len(s.X)
	}
	if boxes != 15 {
		t.Errorf("%d nodes", boxes)
	}
	if c := f.Slider.Frames[6].Caption; c != "Round 7 is added to 4 nodes (+); noisy nodes (Σ) in the release: 3" {
		t.Error(c)
	}
	for _, bad := range []Tree{{}, {Rounds: 6}, {Rounds: 128}, {Rounds: 8, Start: 9}} {
		if _, err := bad.Figure(); err == nil {
			t.Errorf("%+v was drawn", bad)
		}
	}
}

func TestProject3D(t *testing.T) {
	axes := []Point3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.3, -0.5, 0.7}}
	front := Project3D(axes, 0, 0)
	for i, want := range []Projected{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-0.5, 0.7, 0.3}} {
		if got := front[i]; math.Hypot(got.X-want.X, got.Y-want.Y)+math.Abs(got.Depth-want.Depth) > 1e-12 {
			t.Errorf("%v from the x axis is %v, want %v", axes[i], got, want)
		}
	}
	if above := Project3D(axes, 0, 90)[2]; math.Abs(above.Depth-1) > 1e-12 {
		t.Errorf("z from above is %v", above)
	}
	for _, p := range Project3D(axes[3:], 37, -12) {
		if n := math.Sqrt(p.X*p.X + p.Y*p.Y + p.Depth*p.Depth); math.Abs(n-math.Sqrt(0.83)) > 1e-12 {
			t.Errorf("the projection changes a length to %v", n)
		}
	}
	for _, s := range Sphere(2, 30, 20) {
		for i := range s.X {
			if math.Hypot(s.X[i], s.Y[i]) > 2+1e-9 {
				t.Errorf("a line leaves the sphere at %v, %v", s.X[i], s.Y[i])
			}
		}
	}
	if c := Cloud("a", axes[:1], 180, 0); len(c) != 1 || !c[0].Faint {
		t.Errorf("a point behind: %+v", c)
	}
}

func TestTable(t *testing.T) {
	table := NewTable("learner", "ε", "regret").Add("a|b <c>", math.Inf(1), 12345.678).Add("tree", 0.5, 7)
	table.Caption, table.Scale = "Regret", LectureScale
	want := strings.TrimSpace(`
| learner  |   ε |    regret |
|----------|----:|----------:|
| a\|b <c> |   ∞ | 1.235e+04 |
| tree     | 0.5 |         7 |

Regret. Scale: this cell, lecture scale.`)
	if got := table.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	page := must(table.HTML())
	for _, part := range []string{"a|b &lt;c&gt;</td>", "text-align:right", ">Regret. Scale: this cell, lecture scale.</figcaption>"} {
		if !strings.Contains(page, part) {
			t.Errorf("no %s in %s", part, page)
		}
	}
	if _, err := NewTable("a", "b").Add(1).HTML(); err == nil || !strings.Contains(err.Error(), "row 0 has 1 cells for 2 headers") {
		t.Error(err)
	}
	if _, err := (&Table{Headers: []string{"a"}, Align: "x"}).HTML(); err == nil {
		t.Error("Align x is taken")
	}
}

// TestTableStaysReadable: short cells and numbers keep one line, long texts wrap at words, and a
// table that is too wide scrolls, whatever the page's style says of tables.
func TestTableStaysReadable(t *testing.T) {
	long := strings.Repeat("word ", 20)
	page := must(NewTable("policy", "a long header", "note").Add("OnlineUCB, width × 0.2", -12345.6, long).HTML())
	for _, want := range []string{"overflow-x:auto", "table-layout:auto", `white-space:nowrap">OnlineUCB, width`, `white-space:nowrap">-1.235e+04<`, `white-space:normal;min-width:16em">word`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
	if strings.Contains(page, `nowrap">a long header`) {
		t.Error("a header may not break")
	}
}
