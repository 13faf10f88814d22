// Help is the part of a page's Go kernel that completes names and says what they are. It is a
// program of its own, as it is fetched when a reader asks first. It offers one function, goHelp.
package main

import (
	"encoding/json"
	"go/importer"
	"go/token"
	"io"
	"os"
	"syscall/js"

	"github.com/dpbandits/dpbandits/notebooks/lite/cells"
)

// request is a call of goHelp: first for the packages that are wanted, then for help.
type request struct {
	Packages map[string]string // names by path
	State    *cells.Notebook   // nil before the first cell
	Code     string
	At       int // in bytes; negative: which packages are wanted
}

func main() {
	archives := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open("/pkg/" + path + ".x")
	})
	help := func(text string) (any, error) {
		var r request
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			return nil, err
		}
		n := r.State
		if n == nil {
			n = cells.New(nil)
		}
		n.Adopt(r.Packages)
		if r.At < 0 {
			return n.Paths(r.Code), nil
		}
		return n.Help(r.Code, r.At, archives), nil
	}
	js.Global().Set("goHelp", js.FuncOf(func(_ js.Value, args []js.Value) any {
		v, err := help(args[0].String())
		text := []byte("null")
		if err == nil {
			text, err = json.Marshal(v)
		}
		if err != nil {
			return "null" // help is no reason to fail
		}
		return string(text)
	}))
	js.Global().Call("goHelpReady")
	select {}
}
