package papers

import (
	"fmt"
	"slices"
)

// Figures lists all that can be reproduced.
var Figures = slices.Concat(ldpFigures, matFigures, jdpFigures)

// FigureByName returns the figure of that name.
func FigureByName(name string) (Figure, error) {
	for _, f := range Figures {
		if f.Name == name {
			return f, nil
		}
	}
	return Figure{}, fmt.Errorf("papers: no figure %q", name)
}
