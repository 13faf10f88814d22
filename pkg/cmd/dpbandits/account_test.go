package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/dpbandits/dpbandits/pkg/privacy/account"
)

// command runs a command line and returns what it prints, and its status.
func on(args ...string) (out, complaints string, status int) {
	var o, c strings.Builder
	status = run(args, &o, &c)
	return o.String(), c.String(), status
}

// TestAccount compares the program with the package, on a composition that GDP accounting refuses.
func TestAccount(t *testing.T) {
	out, complaints, status := on("account", "-json", "-laplace", "eps=0.1,times=100", "-gaussian", "sigma=5,sensitivity=2,times=20", "-delta", "1e-6")
	if status != 0 {
		t.Fatal(complaints)
	}
	var got struct {
		Delta   float64
		Answers []struct {
			Accountant, Refuses string
			Epsilon             any
			AtLeast             float64 `json:"at_least"`
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	event := account.Sequence{account.Repeat{Event: account.LaplaceEvent{Epsilon: 0.1}, Times: 100}, account.Repeat{Event: account.GaussianEvent{Mu: 0.4}, Times: 20}}
	want, by, err := account.Tightest(event, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	first := got.Answers[0]
	if first.Epsilon != want || first.Accountant != by || !(first.AtLeast <= want && first.AtLeast > want*0.99) || got.Delta != 1e-6 {
		t.Errorf("%+v first, want %v by %s", first, want, by)
	}
	if len(got.Answers) != len(account.Accountants()) || got.Answers[len(got.Answers)-1].Refuses == "" {
		t.Errorf("%d answers, of which the last is %+v: want all, those that refuse last", len(got.Answers), got.Answers[len(got.Answers)-1])
	}
}

// TestAccountKinds: each kind of release, in words, is the event of the package; of users, the
// group.
func TestAccountKinds(t *testing.T) {
	for text, want := range map[string]account.Event{
		"-gaussian sigma=2":                                        account.GaussianEvent{Mu: 0.5},
		"-laplace eps=0.5":                                         account.LaplaceEvent{Epsilon: 0.5},
		"-discrete-gaussian sigma=2,sensitivity=3":                 account.DiscreteGaussianEvent{Dim: 1, Sensitivity: 3, Sigma: 2},
		"-discrete-laplace scale=4,sensitivity=2":                  account.DiscreteLaplaceEvent{Sensitivity: 2, Scale: 4},
		"-response eps=1,choices=3":                                account.ResponseEvent{Epsilon: 1, Choices: 3},
		"-exponential eps=0.25,times=2":                            account.Repeat{Event: account.ExponentialEvent{Epsilon: 0.25}, Times: 2},
		"-sparse-vector eps=0.5,accepted=4":                        account.SparseVectorEvent{Epsilon: 0.5, Accepted: 4},
		"-shuffle eps=1,users=1000":                                account.ShuffleEvent{Local: 1, Users: 1000},
		"-binomial trials=100,p=0.5,tail=1e-9,most=2,norm=3,dim=4": account.BinomialEvent{Trials: 100, P: 0.5, Coordinates: 4, Most: 2, Norm: 3, Tail: 1e-9},
		"-discrete-gaussian sigma=2,dim=3":                         account.DiscreteGaussianEvent{Dim: 3, Sensitivity: 1, Sigma: 2},
		"-approximate eps=1,delta=1e-7":                            account.ApproximateEvent{Epsilon: 1, Delta: 1e-7},
		"-laplace eps=0.5 -gaussian sigma=2":                       account.Sequence{account.LaplaceEvent{Epsilon: 0.5}, account.GaussianEvent{Mu: 0.5}},
		"-gaussian sigma=2 -records 3":                             account.GroupEvent{Event: account.GaussianEvent{Mu: 0.5}, Contributions: 3},
		"-gaussian sigma=1e9,sensitivity=0,times=70":               account.Repeat{Event: account.GaussianEvent{}, Times: 70},
	} {
		out, complaints, status := on(append([]string{"account", "-delta", "1e-5"}, strings.Fields(text)...)...)
		if status != 0 || !strings.HasPrefix(out, want.String()+"\nat delta = 1e-05\n") {
			t.Errorf("%s: status %d, %s%s, want %v", text, status, out, complaints, want)
		}
	}
}

// TestComplaints: wrong arguments end with status 2 and name the value and what is wanted.
func TestComplaints(t *testing.T) {
	for line, want := range map[string]string{
		"":                                  "Usage",
		"acount":                            `"acount"`,
		"version now":                       "want none",
		"help nothing":                      `"nothing"`,
		"help account audit":                "at most one",
		"audit all":                         "want none",
		"audit -scale huge":                 "want smoke, lecture or paper",
		"reproduce -figure nothing":         "dpbandits reproduce lists them",
		"sweep nothing":                     "want one of: ldp-fig1",
		"sweep merge":                       "wants one directory",
		"sweep -shard 1/3 leaderboard":      "wants a directory",
		"lab -port 70000":                   "-port 70000",
		"completion":                        "bash, fish, zsh",
		"completion tcsh":                   `"tcsh"`,
		"account":                           "want at least one",
		"account -binomial trials=10,p=0.5": "without tail",
		"account -binomial trials=1e9,p=2,tail=1e-9":        "P = 2",
		"account -gaussian sigma=5 more":                    `["more"]`,
		"account -gauss sigma=5":                            "-gauss",
		"account -gaussian sensitivity=1":                   "without sigma",
		"account -gaussian sigma":                           "NAME=NUMBER",
		"account -gaussian sigma=five":                      "sigma=five",
		"account -gaussian sigma=0":                         "Inf",
		"account -gaussian sigma=-1":                        "-1",
		"account -gaussian sigma=NaN":                       "NaN",
		"account -gaussian sigma=1,sigma=2":                 "two values of sigma",
		"account -gaussian sigma=1,eps=2":                   "eps=2",
		"account -laplace eps=1,times=0":                    "times=0",
		"account -laplace eps=1,times=1.5":                  "times=1.5",
		"account -laplace eps=1,times=1e300":                "2^53",
		"account -laplace eps=-1":                           "-1",
		"account -response eps=1,choices=1":                 "Choices = 1",
		"account -shuffle eps=1":                            "without users",
		"account -laplace eps=1 -delta 1":                   "-delta 1",
		"account -laplace eps=1 -delta NaN":                 "NaN",
		"account -laplace eps=1 -records 0":                 "-records 0",
		"account -laplace eps=1 -delta little":              "little",
		"account -discrete-laplace scale=2,sensitivity=0.5": "sensitivity=0.5",
	} {
		if out, complaints, status := on(strings.Fields(line)...); status != 2 || !strings.Contains(complaints, want) || out != "" {
			t.Errorf("dpbandits %s: status %d, %q, complains %q, want one of %q", line, status, out, complaints, want)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, line := range []string{"help", "-h", "account -help", "version"} {
		if out, complaints, status := on(strings.Fields(line)...); status != 0 || out == "" || complaints != "" {
			t.Errorf("dpbandits %s: status %d, prints %q, complains %q", line, status, out, complaints)
		}
	}
	if s := ask(account.LaplaceEvent{Epsilon: 1}, 0); float64(s[0].Epsilon) != 1 || !math.IsInf(float64(s[len(s)-1].Epsilon), 1) {
		t.Errorf("Laplace noise of epsilon 1 at delta 0: %+v", s)
	}
}
