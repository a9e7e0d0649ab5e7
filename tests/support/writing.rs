/// Text of one kind, of any length: what tokenizers cut in unlike ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// English prose.
    English,
    /// German, with its umlauts.
    German,
    /// Russian.
    Russian,
    /// Arabic.
    Arabic,
    /// Hindi.
    Hindi,
    /// Chinese.
    Chinese,
    /// Japanese.
    Japanese,
    /// Korean.
    Korean,
    /// Emoji of all sorts.
    Emoji,
    /// Rust.
    Code,
    /// Records without white space.
    Json,
    /// Lines of a log, with times and numbers.
    Log,
    /// Random identifiers.
    Uuid,
    /// Random bytes in base64.
    Base64,
    /// Numbers with decimals, in a table.
    Numbers,
    /// Links.
    Links,
}

impl Writing {
    /// All kinds.
    pub const ALL: [Self; 16] = [
        Self::English,
        Self::German,
        Self::Russian,
        Self::Arabic,
        Self::Hindi,
        Self::Chinese,
        Self::Japanese,
        Self::Korean,
        Self::Emoji,
        Self::Code,
        Self::Json,
        Self::Log,
        Self::Uuid,
        Self::Base64,
        Self::Numbers,
        Self::Links,
    ];

    /// The kinds that a rule of four characters to a token has the least idea of.
    pub const DENSE: [Self; 6] = [
        Self::Chinese,
        Self::Japanese,
        Self::Korean,
        Self::Emoji,
        Self::Json,
        Self::Base64,
    ];

    /// At least so many characters, the same for the same seed.
    #[must_use]
    pub fn text(self, seed: u64, chars: usize) -> String {
        let mut random = Random(seed);
        let mut text = String::new();
        let mut written = 0;
        while written < chars {
            let part = self.part(&mut random);
            written += part.chars().count();
            text.push_str(&part);
        }
        text
    }

    /// A sentence, a line, a record.
    fn part(self, random: &mut Random) -> String {
        match self {
            Self::English => random.one_of(&ENGLISH).into(),
            Self::German => random.one_of(&GERMAN).into(),
            Self::Russian => random.one_of(&RUSSIAN).into(),
            Self::Arabic => random.one_of(&ARABIC).into(),
            Self::Hindi => random.one_of(&HINDI).into(),
            Self::Chinese => random.one_of(&CHINESE).into(),
            Self::Japanese => random.one_of(&JAPANESE).into(),
            Self::Korean => random.one_of(&KOREAN).into(),
            Self::Emoji => random.one_of(&EMOJI).into(),
            Self::Code => random.one_of(&CODE).into(),
            Self::Links => format!(
                "https://{}.example.org/{}/{}?page={}&sort={}#{}\n",
                random.one_of(&WORDS),
                random.one_of(&WORDS),
                random.one_of(&WORDS),
                random.below(90),
                random.one_of(&WORDS),
                random.one_of(&WORDS),
            ),
            Self::Json => format!(
                r#"{{"id":{},"name":"{}","active":{},"score":{}.{},"tags":["{}","{}"]}},"#,
                random.below(100_000),
                random.one_of(&WORDS),
                random.below(2) == 0,
                random.below(100),
                random.below(1_000),
                random.one_of(&WORDS),
                random.one_of(&WORDS),
            ),
            Self::Log => format!(
                "2026-03-{:02}T{:02}:{:02}:{:02}.{:03}Z {} {}::{}: {} took={}ms attempt={}\n",
                random.below(28) + 1,
                random.below(24),
                random.below(60),
                random.below(60),
                random.below(1_000),
                random.one_of(&["INFO", "WARN", "ERROR", "DEBUG"]),
                random.one_of(&WORDS),
                random.one_of(&WORDS),
                random.one_of(&WORDS),
                random.below(5_000),
                random.below(9),
            ),
            Self::Uuid => {
                let mut group = |digits: usize| -> String {
                    let digit = |_| char::from_digit(random.below(16) as u32, 16);
                    (0..digits).filter_map(digit).collect()
                };
                let [a, b, c, d, e] = [8, 4, 4, 4, 12].map(&mut group);
                format!("{a}-{b}-{c}-{d}-{e}\n")
            }
            Self::Base64 => {
                const DIGITS: &[u8] =
                    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
                let digit = |_| char::from(DIGITS[random.below(64) as usize]);
                (0..64).map(digit).collect()
            }
            Self::Numbers => {
                let cell = |_| format!("{}.{:03}", random.below(200), random.below(1_000));
                let cells: Vec<_> = (0..6).map(cell).collect();
                cells.join(",") + "\n"
            }
        }
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (bits ^ (bits >> 31)) % end
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

const WORDS: [&str; 16] = [
    "queue", "lease", "worker", "deploy", "invoice", "search", "profile", "billing", "retry",
    "cache", "gateway", "session", "report", "customer", "import", "nightly",
];

const ENGLISH: [&str; 5] = [
    "The harbour froze early that year, and the ferries stayed at their moorings until March. ",
    "She had promised to return the book, but nobody remembered who had lent it to her. ",
    "If the valve is opened before the pressure has dropped, the seal will not survive. ",
    "Most of the budget went into repairs; what was left paid for a single new lamp.\n\n",
    "Why the second witness changed his statement was never explained to the jury. ",
];

const GERMAN: [&str; 4] = [
    "Der Zug fährt um halb sieben ab, wenn die Weiche rechtzeitig repariert wird. ",
    "Über die Größe des Gartens wurde lange gestritten, über die Bäume überhaupt nicht. ",
    "Niemand wusste, weshalb die Schlüssel plötzlich im Kühlschrank lagen. ",
    "Die Gemeinde möchte die alte Brücke erhalten, obwohl sie kaum noch benutzt wird.\n",
];

const RUSSIAN: [&str; 4] = [
    "Поезд отправляется в половине седьмого, если вовремя починят стрелку. ",
    "Она обещала вернуть книгу, но никто не помнил, кто ей её дал. ",
    "Большая часть денег ушла на ремонт, а на остальное купили одну лампу. ",
    "Зимой гавань замёрзла рано, и паромы стояли у причала до марта.\n",
];

const ARABIC: [&str; 4] = [
    "يغادر القطار في السادسة والنصف إذا تم إصلاح السكة في الوقت المناسب. ",
    "وعدت بأن تعيد الكتاب لكن لم يتذكر أحد من أعارها إياه. ",
    "ذهب معظم المال إلى الإصلاحات وبقي ما يكفي لمصباح واحد جديد. ",
    "تجمد الميناء مبكرا في ذلك العام وبقيت السفن في مراسيها حتى مارس.\n",
];

const HINDI: [&str; 4] = [
    "अगर पटरी समय पर ठीक हो गई तो गाड़ी साढ़े छह बजे निकलेगी। ",
    "उसने किताब लौटाने का वादा किया था, लेकिन किसी को याद नहीं था कि किसने दी थी। ",
    "ज़्यादातर पैसा मरम्मत में चला गया और बाकी से एक नया दीपक खरीदा गया। ",
    "उस साल बंदरगाह जल्दी जम गया और नावें मार्च तक किनारे पर खड़ी रहीं।\n",
];

const CHINESE: [&str; 5] = [
    "那一年港口很早就结了冰，渡船一直停在码头上，直到三月才重新开航。",
    "她答应过要把书还回来，可是谁也不记得当初是谁借给她的。",
    "如果在压力下降之前打开阀门，密封圈就会损坏，整台机器都要拆开。",
    "大部分经费都用在了维修上，剩下的钱只够买一盏新灯。\n",
    "第二个证人为什么改变了说法，法庭上始终没有人解释清楚。",
];

const JAPANESE: [&str; 4] = [
    "その年は港が早くから凍り、渡し船は三月まで岸につながれたままだった。",
    "彼女は本を返すと約束したが、誰が貸したのかを覚えている人はいなかった。",
    "圧力が下がる前に弁を開けると、パッキンが壊れてしまうおそれがあります。",
    "予算のほとんどは修理に使われ、残りで新しいランプを一つだけ買った。\n",
];

const KOREAN: [&str; 4] = [
    "그해에는 항구가 일찍 얼어붙어서 배들이 삼월까지 부두에 묶여 있었다. ",
    "그녀는 책을 돌려주겠다고 약속했지만 누가 빌려주었는지 아무도 기억하지 못했다. ",
    "압력이 떨어지기 전에 밸브를 열면 패킹이 망가질 수 있습니다. ",
    "예산의 대부분은 수리에 쓰였고 남은 돈으로 새 전등 하나를 샀다.\n",
];

const EMOJI: [&str; 8] = [
    "😀😂🥲",
    "🚀✨",
    "🔥🎉 ",
    "👩‍💻",
    "🦀🍕🎸",
    "❤️",
    "🏳️‍🌈 ",
    "🙏🏽👀💯",
];

const CODE: [&str; 4] = [
    "    pub fn release(&mut self, id: LeaseId) -> Result<(), QueueError> {\n        self.leases.remove(&id).ok_or(QueueError::Unknown(id))?;\n        Ok(())\n    }\n\n",
    "impl<T> From<Vec<T>> for Batch<T> {\n    fn from(items: Vec<T>) -> Self {\n        Self { items, sealed: false }\n    }\n}\n\n",
    "let due: Vec<_> = jobs.iter().filter(|job| job.deadline <= now).collect();\nassert_eq!(due.len(), 3, \"{due:?}\");\n",
    "#[derive(Clone, Debug, PartialEq)]\npub struct Retry {\n    pub attempts: u32,\n    pub delay: Duration,\n}\n\n",
];
