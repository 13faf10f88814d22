// Kernel is the part of a page's Go kernel that knows Go: it turns cells into programs and explains
// what the compiler says. worker.js compiles and runs them. It offers one function, goCells.
package main

import (
	"cmp"
	"encoding/json"
	"syscall/js"

	"github.com/dpbandits/dpbandits/notebooks/lite/cells"
)

// request is a call of goCells.
type request struct {
	Do       string            // packages, restore, compose, commit, explain
	Packages map[string]string // names by path
	State    *cells.Notebook   // nil: nothing is declared
	Code     string
	Count    int
}

// answer is what a call returns, beside the fields of the program.
type answer struct {
	*cells.Program
	Env     map[string]string
	State   *cells.Notebook
	Message string // of the compiler, explained
	Error   string
}

func main() {
	var packages map[string]string
	notebook := cells.New(nil)
	var program *cells.Program
	handle := func(r request) (a answer) {
		switch r.Do {
		case "packages":
			packages = r.Packages
			notebook.Adopt(packages)
		case "restore":
			notebook = cmp.Or(r.State, cells.New(nil))
			notebook.Adopt(packages)
		case "compose":
			p, err := notebook.Compose(r.Code, r.Count)
			if err != nil {
				a.Error = err.Error()
				return a
			}
			program, a.Program, a.Env = p, p, p.Env()
		case "commit":
			notebook.Commit(program)
			a.State = notebook
		case "explain":
			a.Message = notebook.Explain(r.Code)
		}
		return a
	}
	js.Global().Set("goCells", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var r request
		err := json.Unmarshal([]byte(args[0].String()), &r)
		a := answer{}
		if err == nil {
			a = handle(r)
		} else {
			a.Error = err.Error()
		}
		text, err := json.Marshal(a)
		if err != nil {
			return `{"Error":"the kernel cannot write its answer"}`
		}
		return string(text)
	}))
	js.Global().Call("goCellsReady")
	select {}
}
