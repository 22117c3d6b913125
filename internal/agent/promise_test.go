package agent

import (
	"strings"
	"testing"
)

// A reply that announces a call and stops is told from ordinary prose in the three
// languages that the runtime knows: of the second list none is ever nudged.
func TestPromises(t *testing.T) {
	tools := []string{"list_dir", "read_file", "search_files", "system_info", "run_command"}
	for _, said := range strings.Split(strings.TrimSpace(promised), "\n") {
		if !promises(strings.ReplaceAll(said, `\n`, "\n"), "What is there?", tools) {
			t.Errorf("no promise is seen in %q", said)
		}
	}
	for _, said := range strings.Split(strings.TrimSpace(ordinary), "\n") {
		if promises(strings.ReplaceAll(said, `\n`, "\n"), "What is there?", tools) {
			t.Errorf("a promise is seen in %q", said)
		}
	}
	for _, asked := range []string{
		"What would you do to find the largest file?", "Make a plan for cleaning up my folder.", "Translate: Let me read the file.", "Explain how you read files.",
		"Don't open it yet.", "列出清理文件夹的步骤", "先不要打开文件", "Jak bys našel největší soubor?", "Napiš plán úklidu složky.",
	} {
		if promises("I will read notes.md now.", asked, tools) {
			t.Errorf("to %q a promise is seen", asked)
		}
	}
}

const promised = `
I'll read notes.md now.
I will read notes.md now.
Let me list the folder:
Let me check the file.
Sure! Let me read the file for you.
Certainly. I'll open notes.md and see what is in it.
To answer this, I need to read the file.
I'm going to search the files for "milk".
Okay, let me take a look at the log file.
I'll use read_file to see what it says.
Let me use the list_dir tool.
First, I'll list the files in the folder.
Of course! I will list the contents of the directory. Please wait.
Great, let me search your documents for that. One moment.
I am going to run the command now.
I'll check the disk usage for you.
Let me get the list of processes.
I'll fetch the web page.
Now I will look into report.txt.
Reading notes.md...
Searching the files now.
Checking the log file…
Alright, let me have a look at the notes:
Let's open config.yaml and look.
I need to check the system info first.
Let me see what is in the folder.
I will call read_file with the path notes.md.
The answer is in the file.\nLet me read it: notes.md
I'll go ahead and query the database.
I have to look at the file before I can answer.
我来读取文件。
让我查看一下这个文件夹。
好的，我先打开 notes.md 看看。
我将列出该目录的内容：
我现在读取 notes.md。请稍等。
让我来搜索您的文档。
当然，我会使用 list_dir 工具。
我需要先查看日志文件。
正在读取文件…
首先，让我读取这个文件。
我这就运行命令。
好的。我来看看文件夹里有什么文件。
Podívám se do souboru notes.md.
Dobře, podívám se do složky.
Přečtu soubor notes.md.
Nejprve vypíšu obsah adresáře.
Hned zkontroluji log.txt.
Jistě, otevřu dokument. Chvilku strpení.
Musím se nejprve podívat do souboru.
Teď prohledám vaše poznámky.
Načtu soubor a zjistím to.
Spustím příkaz.
Samozřejmě, použiju nástroj list_dir.
Nechte mě přečíst ten soubor.
`

const ordinary = `
Let me know if you need anything else about the file.
Let me know which file you mean.
I will explain how files work.
I'll explain the contents of the table.
I can read the file for you.
I can list the folder if you like.
Would you like me to read the file?
Shall I open notes.md?
If you want, I'll read the file.
I'll read the file once you upload it.
I cannot read files.
I don't have access to your files, so I can't read notes.md.
The file notes.md contains a shopping list.
You have to buy milk, as notes.md says.
I read notes.md: it says to buy milk.
I have read the file, and it is empty.
Reading files line by line saves memory.
Listing the contents of a directory is done with ls.
Running the command twice does no harm.
You can read the file with cat notes.md.
To read the file, use cat notes.md.
1. I will read the file.\n2. I will count the lines.
- I'll open the folder\n- I'll search the logs
Here is how: I will not delete the file.
I'll be happy to help with the document.
Please share the file, and I'll read it.
I'll help you write a letter.
Let me explain.
Let's think about this step by step.
Let me think about it.
I will remember that you like tea.
Let me give you an example with a table.
I'll write a poem about the sea.
Let me list the advantages of tea.
Let me list three things that matter.
I need to know which one you mean.
"I'll read the file," said Anna.
She said that she would open the folder.
Let us assume that the file exists.
Tomorrow I'll look at the logs.
I'll find a better word for that.
Let me check whether I understood you.
The command lists processes.
I'm going to the market to get some milk.
I will always love the sea.
Hello! How can I help you with your documents?
You should check the log file.
Thank you, the file is fine now.
如果您愿意，我可以读取文件。
需要我打开文件吗？
我可以帮您读取文件。
文件 notes.md 里写着买牛奶。
您可以打开文件查看。
我无法读取文件。
请提供文件，我来读取。
我来解释一下文件系统。
我来介绍一下数据库。
让我想想。
我读了文件，里面是空的。
正在运行的进程有十二个。
例如，我会打开文件。
希望这能帮到您。
Chcete, abych otevřel soubor?
Pokud chcete, přečtu soubor.
Soubor notes.md obsahuje nákupní seznam.
Soubory se čtou příkazem cat.
Neumím číst soubory.
Můžete otevřít soubor v editoru.
Vysvětlím, co je to databáze.
Podívám se na to zítra, až budete mít soubor.
Rád vám pomohu s dokumentem.
Mohu vypsat obsah složky.
Přečetl jsem soubor a je prázdný.
Musíte nejprve otevřít soubor.
Dejte mi vědět, který soubor myslíte.
Například otevřu soubor a přečtu ho.
`
