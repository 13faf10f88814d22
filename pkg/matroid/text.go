package matroid

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Must returns the matroid of a constructor, or panics with its error. It makes an expression of a
// description that is known to be right: Must(NewUniform(5, 2)). A matroid prints as that.
func Must[M any](m M, err error) M {
	if err != nil {
		panic(err)
	}
	return m
}

// source returns Go source that makes a matroid by a constructor.
func source(constructor string, args ...any) string {
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%#v", a)
	}
	return "matroid.Must(matroid." + constructor + "(" + b.String() + "))"
}

// arguments reads the list of a constructor's arguments, each to where dst points.
func arguments(text []byte, dst ...any) error {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("matroid: %w", err)
	}
	if len(list) != len(dst) {
		return fmt.Errorf("matroid: %d arguments, want %d", len(list), len(dst))
	}
	for i, a := range list {
		if err := json.Unmarshal(a, dst[i]); err != nil {
			return fmt.Errorf("matroid: argument %d: %w", i, err)
		}
	}
	return nil
}

// become makes m what a constructor returned.
func become[M any](m *M, made *M, err error) error {
	if err == nil {
		*m = *made
	}
	return err
}

// rowsOf copies rows.
func rowsOf[T any](rows [][]T) [][]T {
	list := make([][]T, len(rows))
	for i, r := range rows {
		list[i] = slices.Clone(r)
	}
	return list
}

func (u *Uniform) arguments() []any     { return []any{u.size, u.rank} }
func (p *Partition) arguments() []any   { return []any{p.class, p.capacity} }
func (m *Laminar) arguments() []any     { return []any{len(m.deepest), m.sets, m.capacity} }
func (m *Linear) arguments() []any      { return []any{m.vectors} }
func (m *LinearFloat) arguments() []any { return []any{m.vectors, m.tolerance} }

func (g *Graphic) arguments() []any {
	edges := make([][2]int, g.Size())
	for e := range edges {
		edges[e][0], edges[e][1] = g.Edge(e)
	}
	return []any{g.vertices, edges}
}

func (m *Transversal) arguments() []any {
	suits := make([][]int, m.Size())
	for e := range suits {
		suits[e] = m.suits[m.first[e]:m.first[e+1]]
	}
	return []any{m.slots, suits}
}

// GoString returns Go source that makes the matroid again.
func (u *Uniform) GoString() string { return source("NewUniform", u.arguments()...) }

// MarshalJSON returns the arguments of NewUniform.
func (u *Uniform) MarshalJSON() ([]byte, error) { return json.Marshal(u.arguments()) }

// UnmarshalJSON makes the matroid of the arguments of NewUniform.
func (u *Uniform) UnmarshalJSON(text []byte) error {
	var size, rank int
	if err := arguments(text, &size, &rank); err != nil {
		return err
	}
	made, err := NewUniform(size, rank)
	return become(u, made, err)
}

// GoString returns Go source that makes the matroid again.
func (p *Partition) GoString() string { return source("NewPartition", p.arguments()...) }

// MarshalJSON returns the arguments of NewPartition.
func (p *Partition) MarshalJSON() ([]byte, error) { return json.Marshal(p.arguments()) }

// UnmarshalJSON makes the matroid of the arguments of NewPartition.
func (p *Partition) UnmarshalJSON(text []byte) error {
	var class, capacity []int
	if err := arguments(text, &class, &capacity); err != nil {
		return err
	}
	made, err := NewPartition(class, capacity)
	return become(p, made, err)
}

// GoString returns Go source that makes the matroid again.
func (m *Laminar) GoString() string { return source("NewLaminar", m.arguments()...) }

// MarshalJSON returns the arguments of NewLaminar.
func (m *Laminar) MarshalJSON() ([]byte, error) { return json.Marshal(m.arguments()) }

// UnmarshalJSON makes the matroid of the arguments of NewLaminar.
func (m *Laminar) UnmarshalJSON(text []byte) error {
	var size int
	var sets [][]int
	var capacity []int
	if err := arguments(text, &size, &sets, &capacity); err != nil {
		return err
	}
	made, err := NewLaminar(size, sets, capacity)
	return become(m, made, err)
}

// GoString returns Go source that makes the matroid again.
func (m *Linear) GoString() string { return source("NewLinear", m.arguments()...) }

// MarshalJSON returns the arguments of NewLinear.
func (m *Linear) MarshalJSON() ([]byte, error) { return json.Marshal(m.arguments()) }

// UnmarshalJSON makes the matroid of the arguments of NewLinear.
func (m *Linear) UnmarshalJSON(text []byte) error {
	var vectors [][]int
	if err := arguments(text, &vectors); err != nil {
		return err
	}
	made, err := NewLinear(vectors)
	return become(m, made, err)
}

// GoString returns Go source that makes the matroid again.
func (m *LinearFloat) GoString() string { return source("NewLinearFloat", m.arguments()...) }

// MarshalJSON returns the arguments of NewLinearFloat.
func (m *LinearFloat) MarshalJSON() ([]byte, error) { return json.Marshal(m.arguments()) }

// UnmarshalJSON makes the matroid of the arguments of NewLinearFloat.
func (m *LinearFloat) UnmarshalJSON(text []byte) error {
	var vectors [][]float64
	var tolerance float64
	if err := arguments(text, &vectors, &tolerance); err != nil {
		return err
	}
	made, err := NewLinearFloat(vectors, tolerance)
	return become(m, made, err)
}

// GoString returns Go source that makes the matroid again.
func (g *Graphic) GoString() string { return source("NewGraphic", g.arguments()...) }

// MarshalJSON returns the arguments of NewGraphic.
func (g *Graphic) MarshalJSON() ([]byte, error) { return json.Marshal(g.arguments()) }

// UnmarshalJSON makes the matroid of the arguments of NewGraphic.
func (g *Graphic) UnmarshalJSON(text []byte) error {
	var vertices int
	var edges [][2]int
	if err := arguments(text, &vertices, &edges); err != nil {
		return err
	}
	made, err := NewGraphic(vertices, edges)
	return become(g, made, err)
}

// GoString returns Go source that makes the matroid again.
func (m *Transversal) GoString() string { return source("NewTransversal", m.arguments()...) }

// MarshalJSON returns the arguments of NewTransversal.
func (m *Transversal) MarshalJSON() ([]byte, error) { return json.Marshal(m.arguments()) }

// UnmarshalJSON makes the matroid of the arguments of NewTransversal.
func (m *Transversal) UnmarshalJSON(text []byte) error {
	var slots int
	var suits [][]int
	if err := arguments(text, &slots, &suits); err != nil {
		return err
	}
	made, err := NewTransversal(slots, suits)
	return become(m, made, err)
}
