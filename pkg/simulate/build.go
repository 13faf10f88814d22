//go:build !page

package simulate

import (
	"errors"
	"fmt"
	"maps"

	"github.com/dpbandits/dpbandits/pkg/internal/built"
	"github.com/dpbandits/dpbandits/pkg/internal/describe"
)

// buildOf names what some code was built from: its packages and this one, by their hashes, if the
// program has a stamp of them all, and otherwise the program. It is "" if that is not known.
//
// Code that leaves something open is taken for the whole program; by the Cache, which is there for
// programs with other main packages, only if it has no Fingerprint to stand for what is open. A
// version that the linker was told is taken for all.
func (e *Experiment) buildOf(c describe.Code) string {
	packages := maps.Clone(c.Packages)
	if c.Open != "" {
		if e.Cache == "" || e.Fingerprint == "" {
			return built.Whole()
		}
		delete(packages, "main")
	}
	packages[module+"/pkg/simulate"] = true
	return built.From(packages)
}

// Build names what the program was built from, but for its main package: "packages-..." of all
// others if pkg/cmd/stamp linked it, "binary-..." of its file if not, or "stated-..." of a version
// that the linker was told. It is "" if the file cannot be read. Numbers that are kept outside of
// an experiment can be kept by it.
func Build() string { return built.All() }

const module = "github.com/dpbandits/dpbandits"

// keepable returns an error that says why finished trials cannot be kept, if so: another program,
// or this one at another time, could take them for its own.
func (p *Prepared) keepable() error {
	switch {
	case p.origin.Build == "":
		return errors.New("what this program was built from is not known, as its file cannot be read; " +
			"state it with -ldflags '-X " + module + "/pkg/internal/built.version=...'")
	case p.open != "" && p.Fingerprint == "":
		return fmt.Errorf("%s; state a version of it in the experiment's Fingerprint", p.open)
	}
	return nil
}
